import { csvPieces } from '../../../base/csv.ts';
import type { Service } from '../../../service/service.ts';
import { ENTRY_COLUMNS, type NamedEntry } from '../views/entry-columns.ts';
import { type LogPage, type LogSearch, searchLog } from '../views/read-log.ts';

const PER_READ = 500;

/** The lines of a CSV file with the entries that match, newest first. Reads the next ones after the last were sent. */
export function entryLines(service: Service, search: LogSearch): AsyncGenerator<string> {
  return csvPieces(Object.values(ENTRY_COLUMNS), entryPages(service, search));
}

async function* entryPages(service: Service, search: LogSearch): AsyncGenerator<readonly NamedEntry[]> {
  let before: bigint | null = null;
  do {
    const { entries, names, next }: LogPage = await searchLog(service, search, PER_READ, before);
    yield entries.map((view) => ({ view, names }));
    before = next;
  } while (before !== null);
}
