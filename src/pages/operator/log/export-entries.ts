import { type Cell, csvPieces } from '../../../base/csv.ts';
import type { Service } from '../../../service/service.ts';
import { type LogEntryView, type LogPage, type LogSearch, searchLog } from '../../../views/operator-log/read-log.ts';

const COLUMNS = [
  ...['entry', 'time', 'action', 'who', 'who is', 'as', 'app', 'from', 'command', 'subject', 'subject is'],
  ...['before', 'after', 'reason', 'request id', 'hash'],
];
const PER_READ = 500;

/** The lines of a CSV file with the entries that match, newest first. Reads the next ones after the last were sent. */
export function entryLines(service: Service, search: LogSearch): AsyncGenerator<string> {
  return csvPieces(COLUMNS, entryPages(service, search), cellsOf);
}

type NamedEntry = { readonly view: LogEntryView; readonly names: LogPage['names'] };

async function* entryPages(service: Service, search: LogSearch): AsyncGenerator<readonly NamedEntry[]> {
  let before: bigint | null = null;
  do {
    const { entries, names, next }: LogPage = await searchLog(service, search, PER_READ, before);
    yield entries.map((view) => ({ view, names }));
    before = next;
  } while (before !== null);
}

function cellsOf({ view: { sequence, hash, entry, reason }, names }: NamedEntry): Cell[] {
  const { actor, subject, from, before, after } = entry;
  const resolved = (id: string) => {
    const known = names.get(id);
    if (!known) return id;
    if ('client' in known) return known.client;
    return 'userId' in known ? (known.email ?? known.userId) : id;
  };
  const json = (value: unknown) => (value === undefined ? null : JSON.stringify(value));
  return [
    ...[sequence, entry.at, entry.action, resolved(actor.id), actor.kind, actor.as ?? null, actor.app ?? null],
    ...[from?.client ? resolved(from.client) : null, from?.command ?? null, resolved(subject.id), subject.kind],
    ...[json(before), json(after), reason && (reason.text ?? '(deleted)'), from?.request ?? null, hash],
  ];
}
