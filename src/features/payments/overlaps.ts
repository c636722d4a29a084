import { type PayBatch, type SameRow, sameRowsElsewhere } from '../../ledger/pay-batches.ts';
import type { Service } from '../../service/service.ts';
import { findTransfers } from '../../settlement/tables/transfers.ts';
import { transferOfRow } from './batch-rows.ts';
import type { PaymentRow } from './payment-file.ts';

/** Rows that another batch has paid already. */
export type Overlap = {
  readonly name: string;
  readonly rows: number;
  /** When the last of them was paid, or a moment before. */
  readonly at: Date;
};

const DAYS = 30;
const AT_ONCE = 1_000;

/** The other batches of the last 30 days that have paid rows which say the same as these, the one with the most first. */
export async function findOverlaps(
  { db }: Pick<Service, 'db'>,
  rows: readonly PaymentRow[],
  batch: PayBatch | null,
): Promise<Overlap[]> {
  const paid: SameRow[] = [];
  for (let i = 0; i < rows.length; i += AT_ONCE) {
    const identities = rows.slice(i, i + AT_ONCE).map(({ identity }) => identity);
    const same = await sameRowsElsewhere(db, identities, batch?.id ?? null, DAYS);
    const transferOf = (row: SameRow) => transferOfRow({ id: row.batchId, byLine: false }, row);
    const found = new Set((await findTransfers(db, same.map(transferOf))).map(({ id }) => id));
    paid.push(...same.filter((row) => found.has(transferOf(row))));
  }
  return [...Map.groupBy(paid, ({ name }) => name)]
    .map(([name, ofBatch]) => ({ name, rows: ofBatch.length, at: ofBatch.at(-1)!.addedAt }))
    .sort((a, b) => b.rows - a.rows);
}
