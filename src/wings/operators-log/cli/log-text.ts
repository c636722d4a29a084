import { InvalidArgumentError } from 'commander';
import type { Column } from '../../../base/columns.ts';
import type { Printed } from '../../../cli/command.ts';
import { formatFacts } from '../../../cli/format.ts';
import { listed } from '../../../cli/reading.ts';
import { parseTime } from '../../../cli/values.ts';
import { LOGGED_ACTIONS, type LoggedAction } from '../../../operator-log/logged-actions.ts';
import type { PruneFrom } from '../features/prune-log.ts';
import { ENTRY_COLUMNS, type NamedEntry } from '../views/entry-columns.ts';
import type { LogPage } from '../views/read-log.ts';
import type { LogVerification } from '../views/verify-log.ts';

type Entries = Pick<LogPage, 'entries' | 'names'>;

/** One line for each entry. */
export function listedEntries({ entries, names, next }: LogPage): Printed {
  const { entry, time, action, who, subject } = ENTRY_COLUMNS;
  const columns: Column<NamedEntry>[] = [
    { ...entry, value: ({ view }) => `${view.sequence}` },
    { ...time, value: ({ view }) => new Date(view.entry.at) },
    action,
    { ...who, value: ({ view }) => named(names, view.entry.actor.id) },
    { ...subject, value: ({ view: { entry: of } }) => `${of.subject.kind} ${named(names, of.subject.id)}` },
  ];
  const rows = entries.map((view) => ({ view, names }));
  return listed({ ...entriesJson({ entries, names }), more: next !== null }, columns, rows, {
    none: 'No entries match.',
  });
}

/** Each entry with all its facts. */
export function shownEntries({ entries, names }: Entries): Printed {
  const texts = entries.map(({ sequence, hash, entry, reason }) => {
    const { at, action, actor, subject, from = {}, before, after } = entry;
    const json = (value: unknown) => (value === undefined ? '–' : JSON.stringify(value));
    return formatFacts([
      ['Entry', `${sequence}`],
      ['Time', new Date(at)],
      ['Action', `${action}: ${LOGGED_ACTIONS[action]}`],
      ['Who', `${named(names, actor.id)}${actor.as ? `, as ${actor.as}` : ''}`],
      [
        'From',
        [from.client && named(names, from.client), from.command, from.request].filter(Boolean).join(', ') || '–',
      ],
      ['Subject', `${subject.kind} ${named(names, subject.id)}`],
      ['Before', json(before)],
      ['After', json(after)],
      ['Reason', reason && (reason.text ?? 'deleted with the account it was about')],
      ['Hash', hash],
    ]);
  });
  return { json: entriesJson({ entries, names }), text: texts.join('\n') };
}

/** Entries as they are stored, and beside them what their pseudonyms stand for. */
function entriesJson({ entries, names }: Entries) {
  return {
    entries: entries.map(({ sequence, hash, entry, reason }) => ({
      sequence,
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

/** Whether the log is whole. */
export function verified({ fault, entries, start, head, heads, tooOld }: LogVerification): Printed {
  const hash = head.hash.toString('hex');
  const facts = { entries, from: start.sequence, to: head.sequence, hash, heads, tooOld };
  return {
    json: { whole: fault === null, ...facts, fault: fault && { sequence: fault.sequence, what: fault.what } },
    text: formatFacts([
      ['Entries read', `${entries}`],
      ['Begins', start.sequence === 0n ? 'with the first entry' : `after the signed checkpoint ${start.sequence}`],
      ['Newest entry', `${head.sequence}`],
      ['Its hash', hash],
      ['Heads compared', `${heads}${tooOld > 0 ? `, and ${tooOld} older than the checkpoint` : ''}`],
      ['Result', fault ? 'not whole' : 'whole'],
    ]),
    end: fault ? new Error(`The log is not whole. Entry ${fault.sequence}: ${fault.what}`) : undefined,
  };
}

/** The compact JWS in a text, such as lines of a service's log. */
export function headsIn(text: string): string[] {
  return text.match(/eyJ[\w-]+\.[\w-]+\.[\w-]+/g) ?? [];
}

export function parseLoggedAction(text: string): LoggedAction {
  if (Object.hasOwn(LOGGED_ACTIONS, text)) return text as LoggedAction;
  throw new InvalidArgumentError(`Use one of ${Object.keys(LOGGED_ACTIONS).join(', ')}.`);
}

export function parseSequence(text: string): bigint {
  if (/^[1-9]\d{0,14}$/.test(text)) return BigInt(text);
  throw new InvalidArgumentError('Use the number of an entry, such as 17.');
}

export function parsePruneFrom(text: string): PruneFrom {
  return /^\d+$/.test(text) ? { sequence: parseSequence(text) } : { time: parseTime(text) };
}
