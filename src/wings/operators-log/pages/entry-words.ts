import { html } from 'hono/html';
import type { EntryJson } from '../../../operator-log/facts.ts';
import type { Markup } from '../../../web/layout.ts';
import type { LogEntryView, LogPage } from '../views/read-log.ts';

type Names = LogPage['names'];

/** Pages of the console, by the kind of what they show. */
const PAGES: Readonly<Record<string, string>> = {
  transfer: '/operator/transfers',
  payment: '/operator/payments',
};

/** Who made a change. An operator is named by their e-mail address. */
export function whoOf({ entry: { actor } }: LogEntryView, names: Names, isShort = false): Markup {
  if (actor.kind === 'user')
    return html`${userOf(actor.id, names, isShort)}${actor.app && html` through app ${appLink(actor.app, names)}`}`;
  if (actor.kind === 'app')
    return html`App ${appLink(actor.id, names)}${actor.key && html`, key <code>${actor.key}</code>`}`;
  return actor.kind === 'shell' ? html`Shell user <code>${actor.id}</code>` : html`The service`;
}

/** What was changed, with a link to its page. `isShort`: a long id is cut, because its page shows it. */
export function subjectOf({ entry: { subject } }: LogEntryView, names: Names, isShort = false): Markup {
  if (subject.kind === 'user') return html`User ${userOf(subject.id, names, isShort)}`;
  if (subject.kind === 'app') return html`App ${appLink(subject.id, names)}`;
  const page = PAGES[subject.kind];
  const id = html`<code>${isShort ? shortened(subject.id) : subject.id}</code>`;
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
function userOf(name: string, names: Names, isShort = false): Markup {
  const known = names.get(name);
  if (!known || !('userId' in known)) return html`<span title="${name}">closed account</span>`;
  return html`<a href="/operator/users/${known.userId}">${known.email ?? html`<code>${isShort ? shortened(known.userId) : known.userId}</code>`}</a>`;
}

/** UUIDs of one hour begin alike, so of them the end is shown. */
function shortened(id: string): string {
  if (id.length <= 20) return id;
  return id.includes('-') ? `…${id.slice(-12)}` : `${id.slice(0, 12)}…`;
}

function appLink(id: string, names: Names): Markup {
  const known = names.get(id);
  const name = known && 'appName' in known ? html`<bdi>${known.appName}</bdi>` : html`<code>${id}</code>`;
  return html`<a href="/operator/apps/${id}">${name}</a>`;
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
  const words = name
    .replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
    .replaceAll(/\b(ur[il])(s?)\b/g, (_, word: string, s: string) => word.toUpperCase() + s);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** A moment to the second, in UTC. */
export function entryMoment({ entry: { at } }: Pick<LogEntryView, 'entry'>): string {
  return at.slice(0, 19).replace('T', ' ');
}
