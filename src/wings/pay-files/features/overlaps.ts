import type { AppId } from '../../../base/ids.ts';
import type { Service } from '../../../service/service.ts';
import { findTransfers } from '../../../settlement/tables/transfers.ts';
import { type PayBatch, type SameRow, sameRowsElsewhere } from '../store/pay-batches.ts';
import { transferOfRow } from './batch-rows.ts';
import type { PaymentRow } from './payment-file.ts';

/** Rows that another batch has paid already. */
export type Overlap = {
  readonly name: string;
  readonly rows: number;
  /** When the last of them was paid, or a moment before. */
  readonly at: Date;
  /** Under this name the file pays what is missing and nothing twice: the batch has the same payer, and every row that any has paid. */
  readonly isWhole: boolean;
};

const DAYS = 30;
const AT_ONCE = 1_000;

/**
 * The other batches of the last 30 days that have paid rows which say the same as these, the one with the most first. `rows`: those that are
 * left. `payer`: the app that pays, null for the treasury. `isBegun`: some rows of the file are paid as `batch`.
 */
export async function findOverlaps(
  { db }: Pick<Service, 'db'>,
  rows: readonly PaymentRow[],
  {
    batch,
    payer,
    isBegun,
  }: { readonly batch: PayBatch | null; readonly payer: AppId | null; readonly isBegun: boolean },
): Promise<Overlap[]> {
  const paid: SameRow[] = [];
  for (let i = 0; i < rows.length; i += AT_ONCE) {
    const identities = rows.slice(i, i + AT_ONCE).map(({ identity }) => identity);
    const same = await sameRowsElsewhere(db, identities, batch?.id ?? null, DAYS);
    const transferOf = (row: SameRow) => transferOfRow({ id: row.batchId, byLine: false }, row);
    const found = new Set((await findTransfers(db, same.map(transferOf))).map(({ id }) => id));
    // Not as arguments of one call: a thousand rows may be in hundreds of batches.
    for (const row of same) if (found.has(transferOf(row))) paid.push(row);
  }
  const inAll = new Set(paid.map(({ identity }) => identity.toString('hex'))).size;
  return [...Map.groupBy(paid, ({ name }) => name)]
    .map(([name, ofBatch]) => {
      const isWhole = !isBegun && ofBatch.length === inAll && ofBatch[0]!.appId === payer;
      return { name, rows: ofBatch.length, at: ofBatch.at(-1)!.addedAt, isWhole };
    })
    .sort((a, b) => b.rows - a.rows);
}
