import { type FileColumn, numberColumn, textColumn } from '../../../base/columns.ts';
import type { LogEntryView, LogPage } from './read-log.ts';

/** An entry, and what its pseudonyms stand for. */
export type NamedEntry = { readonly view: LogEntryView; readonly names: LogPage['names'] };

/** The columns of the operator's log, in the order of its file. */
export const ENTRY_COLUMNS = {
  entry: numberColumn('entry', 'Entry', ({ view }) => view.sequence),
  time: textColumn('time', 'Time (UTC)', ({ view }) => view.entry.at),
  action: textColumn('action', 'Action', ({ view }) => view.entry.action),
  who: textColumn('who', 'Who', ({ view, names }) => resolved(names, view.entry.actor.id)),
  whoIs: textColumn('who is', 'Who is', ({ view }) => view.entry.actor.kind),
  as: textColumn('as', 'As', ({ view }) => view.entry.actor.as ?? null),
  app: textColumn('app', 'App', ({ view }) => view.entry.actor.app ?? null),
  from: textColumn('from', 'From', ({ view: { entry }, names }) =>
    entry.from?.client ? resolved(names, entry.from.client) : null,
  ),
  command: textColumn('command', 'Command', ({ view }) => view.entry.from?.command ?? null),
  subject: textColumn('subject', 'Subject', ({ view, names }) => resolved(names, view.entry.subject.id)),
  subjectIs: textColumn('subject is', 'Subject is', ({ view }) => view.entry.subject.kind),
  before: textColumn('before', 'Before', ({ view }) => json(view.entry.before)),
  after: textColumn('after', 'After', ({ view }) => json(view.entry.after)),
  reason: textColumn('reason', 'Reason', ({ view }) => view.reason && (view.reason.text ?? '(deleted)')),
  requestId: textColumn('request id', 'Request id', ({ view }) => view.entry.from?.request ?? null),
  hash: textColumn('hash', 'Hash', ({ view }) => view.hash),
} satisfies Record<string, FileColumn<NamedEntry>>;

const json = (value: unknown) => (value === undefined ? null : JSON.stringify(value));

function resolved(names: LogPage['names'], id: string): string {
  const known = names.get(id);
  if (!known) return id;
  if ('client' in known) return known.client;
  return 'userId' in known ? (known.email ?? known.userId) : id;
}
