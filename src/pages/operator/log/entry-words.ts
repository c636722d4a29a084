import { html } from 'hono/html';
import type { LogEntryView, LogPage } from '../../../features/operator-log/read-log.ts';
import type { EntryJson } from '../../../operator-log/facts.ts';
import type { Markup } from '../../../web/layout.ts';

type Names = LogPage['names'];

/** Pages of the console, by the kind of what they show. */
const PAGES: Readonly<Record<string, string>> = {
  user: '/operator/users',
  app: '/operator/apps',
  transfer: '/operator/transfers',
  payment: '/operator/payments',
};

/** Who made a change. An operator is named by their e-mail address. */
export function whoOf({ entry: { actor } }: LogEntryView, names: Names): Markup {
  if (actor.kind === 'user')
    return html`${userOf(actor.id, names)}${actor.app && html` through app ${appLink(actor.app)}`}`;
  if (actor.kind === 'app') return html`App ${appLink(actor.id)}${actor.key && html`, key <code>${actor.key}</code>`}`;
  return actor.kind === 'shell' ? html`Shell user <code>${actor.id}</code>` : html`The service`;
}

/** What was changed, with a link to its page. */
export function subjectOf({ entry: { subject } }: LogEntryView, names: Names): Markup {
  if (subject.kind === 'user') return html`User ${userOf(subject.id, names)}`;
  const page = PAGES[subject.kind];
  const id = html`<code>${subject.id}</code>`;
  const kind = subject.kind.charAt(0).toUpperCase() + subject.kind.slice(1);
  return html`${kind} ${page ? html`<a href="${page}/${subject.id}">${id}</a>` : id}`;
}

/** From where: the address, the command. */
export function placeOf({ entry: { from } }: LogEntryView, names: Names): Markup | string {
  const known = from?.client === undefined ? undefined : names.get(from.client);
  if (known && 'client' in known) return known.client;
  if (from?.client !== undefined) return 'Forgotten address';
  return from?.command ? html`<code>quarters ${from.command}</code>` : '–';
}

/** A user by their id, or a pseudonym that nobody resolves any more. */
function userOf(name: string, names: Names): Markup {
  const known = names.get(name);
  if (!known || 'client' in known) return html`<span title="${name}">closed account</span>`;
  return html`<a href="/operator/users/${known.userId}">${known.email ?? html`<code>${known.userId}</code>`}</a>`;
}

function appLink(id: string): Markup {
  return html`<a href="/operator/apps/${id}"><code>${id}</code></a>`;
}

/** A value of before or after: lists and objects line by line, users by their pseudonyms' meaning. */
export function factValue(value: EntryJson | undefined, names: Names): Markup | string {
  if (value === undefined || value === null || value === '') return '–';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value !== 'object') return `${value}`;
  if (isList(value))
    return value.length === 0
      ? '–'
      : html`<ul class="plain">${value.map((item) => html`<li>${factValue(item, names)}</li>`)}</ul>`;
  if (typeof value.user === 'string') return userOf(value.user, names);
  return html`<ul class="plain">${Object.entries(value).map(([name, field]) => html`<li>${wordsOf(name)}: ${factValue(field, names)}</li>`)}</ul>`;
}

function isList(value: object): value is readonly EntryJson[] {
  return Array.isArray(value);
}

/** A field's name in words: `payPerDay` is "Pay per day". */
export function wordsOf(name: string): string {
  const words = name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** A moment to the second, in UTC. */
export function entryMoment({ entry: { at } }: Pick<LogEntryView, 'entry'>): string {
  return at.slice(0, 19).replace('T', ' ');
}
