import type { Column } from '../../../base/columns.ts';
import { type ArchivedMonth, listArchivedMonths } from '../../../ledger/archived-months.ts';
import type { Service } from '../../../service/service.ts';
import { countKeptForEver, type KeptForEver } from '../store/kept-for-ever.ts';

export type ArchiveStatus = { readonly months: readonly ArchivedMonth[]; readonly kept: KeptForEver };

export function readArchiveStatus({ db }: Pick<Service, 'db'>): Promise<ArchiveStatus> {
  return db.snapshot(async (tx) => ({ months: await listArchivedMonths(tx), kept: await countKeptForEver(tx) }));
}

/** `moving`: the next run goes on. `attached`: in tables of its own. `detaching`: a run that writes it, or has ended while it did. */
type MonthState = 'moving' | 'attached' | 'detaching' | 'detached';

function stateOf({ movedAt, detachingAt, detachedAt }: ArchivedMonth): MonthState {
  if (detachedAt) return 'detached';
  if (detachingAt) return 'detaching';
  return movedAt ? 'attached' : 'moving';
}

export const MONTH_COLUMNS: readonly Column<ArchivedMonth>[] = [
  { label: 'Month', value: ({ month }) => month },
  { label: 'State', value: stateOf },
  { label: 'Last block', kind: 'number', value: ({ lastBlock }) => `${lastBlock}` },
  { label: 'Requests', kind: 'number', value: ({ requests }) => countOf(requests) },
  { label: 'Transfers', kind: 'number', value: ({ transfers }) => countOf(transfers) },
  { label: 'Transactions', kind: 'number', value: ({ transactions }) => countOf(transactions) },
  { label: 'Postings', kind: 'number', value: ({ postings }) => countOf(postings) },
  { label: 'File', value: ({ file }) => file },
];

const countOf = (count: bigint | null) => (count === null ? null : Number(count));

export function monthJson({ detachingAt: _, ...month }: ArchivedMonth) {
  return { ...month, state: stateOf({ detachingAt: _, ...month }) };
}
