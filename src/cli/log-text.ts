import { InvalidArgumentError } from 'commander';
import type { Column } from '../base/columns.ts';
import type { PruneFrom } from '../features/operator-log/prune-log.ts';
import { LOGGED_ACTIONS, type LoggedAction } from '../operator-log/logged-actions.ts';
import { ENTRY_COLUMNS, type NamedEntry } from '../views/operator-log/entry-columns.ts';
import type { LogPage } from '../views/operator-log/read-log.ts';
import type { LogVerification } from '../views/operator-log/verify-log.ts';
import { formatFacts, formatTable, readableTime } from './format.ts';

type Entries = Pick<LogPage, 'entries' | 'names'>;

/** One line for each entry. */
export function entriesTable({ entries, names }: Entries): string {
  const { entry, time, action, who, subject } = ENTRY_COLUMNS;
  const columns: Column<NamedEntry>[] = [
    { ...entry, value: ({ view }) => `${view.sequence}` },
    { ...time, value: ({ view }) => new Date(view.entry.at) },
    action,
    { ...who, value: ({ view }) => named(names, view.entry.actor.id) },
    { ...subject, value: ({ view: { entry: of } }) => `${of.subject.kind} ${named(names, of.subject.id)}` },
  ];
  return formatTable(
    columns,
    entries.map((view) => ({ view, names })),
  );
}

/** Each entry with all its facts. */
export function entryText({ entries, names }: Entries): string {
  const texts = entries.map(({ sequence, hash, entry, reason }) => {
    const { at, action, actor, subject, from = {}, before, after } = entry;
    const json = (value: unknown) => (value === undefined ? '–' : JSON.stringify(value));
    return formatFacts([
      ['Entry', `${sequence}`],
      ['Time', readableTime(new Date(at))],
      ['Action', `${action}: ${LOGGED_ACTIONS[action]}`],
      ['Who', `${named(names, actor.id)}${actor.as ? `, as ${actor.as}` : ''}`],
      [
        'From',
        [from.client && named(names, from.client), from.command, from.request].filter(Boolean).join(', ') || '–',
      ],
      ['Subject', `${subject.kind} ${named(names, subject.id)}`],
      ['Before', json(before)],
      ['After', json(after)],
      ...(reason ? [['Reason', reason.text ?? 'deleted with the account it was about'] as const] : []),
      ['Hash', hash],
    ]);
  });
  return texts.join('\n');
}

/** Entries as they are stored, and beside them what their pseudonyms stand for. */
export function entriesJson({ entries, names }: Entries) {
  return {
    entries: entries.map(({ sequence, hash, entry, reason }) => ({
      sequence: Number(sequence),
      hash,
      entry,
      ...(reason && { reason: reason.text }),
    })),
    names: Object.fromEntries(names),
  };
}

function named(names: LogPage['names'], id: string): string {
  const known = names.get(id);
  if (!known) return id;
  if ('client' in known) return known.client;
  return 'userId' in known ? (known.email ?? known.userId) : `${id} (${known.appName})`;
}

export function verificationJson({ fault, entries, start, head, heads, tooOld }: LogVerification) {
  return {
    whole: fault === null,
    entries,
    from: Number(start.sequence),
    to: Number(head.sequence),
    hash: head.hash.toString('hex'),
    heads,
    tooOld,
    fault: fault && { sequence: Number(fault.sequence), what: fault.what },
  };
}

export function verificationText({ fault, entries, start, head, heads, tooOld }: LogVerification): string {
  return formatFacts([
    ['Entries read', `${entries}`],
    ['Begins', start.sequence === 0n ? 'with the first entry' : `after the signed checkpoint ${start.sequence}`],
    ['Newest entry', `${head.sequence}`],
    ['Its hash', head.hash.toString('hex')],
    ['Heads compared', `${heads}${tooOld > 0 ? `, and ${tooOld} older than the checkpoint` : ''}`],
    ['Result', fault ? 'not whole' : 'whole'],
  ]);
}

/** The compact JWS in a text, such as lines of a service's log. */
export function headsIn(text: string): string[] {
  return text.match(/eyJ[\w-]+\.[\w-]+\.[\w-]+/g) ?? [];
}

export function parseLoggedAction(text: string): LoggedAction {
  if (Object.hasOwn(LOGGED_ACTIONS, text)) return text as LoggedAction;
  throw new InvalidArgumentError(`Use one of ${Object.keys(LOGGED_ACTIONS).join(', ')}.`);
}

/** A day, or a moment in UTC or with its offset. */
export function parseTime(text: string): Date {
  const date = new Date(text);
  if (/^\d{4}-\d\d-\d\d(T.*(Z|[+-]\d\d:\d\d))?$/.test(text) && !Number.isNaN(date.getTime())) return date;
  throw new InvalidArgumentError('Use a time such as 2026-01-31 or 2026-01-31T12:00Z.');
}

export function parseSequence(text: string): bigint {
  if (/^[1-9]\d{0,14}$/.test(text)) return BigInt(text);
  throw new InvalidArgumentError('Use the number of an entry, such as 17.');
}

export function parsePruneFrom(text: string): PruneFrom {
  return /^\d+$/.test(text) ? { sequence: parseSequence(text) } : { time: parseTime(text) };
}
