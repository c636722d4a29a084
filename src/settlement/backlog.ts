import type { Address } from '../base/address.ts';
import { readNextNonces } from '../chain/relayers.ts';
import type { Queries } from '../db/database.ts';
import type { BacklogCounts } from '../service/service.ts';
import { readMarks } from './tables/nonces.ts';
import { countOpenTransfers, countOpenTransfersOf, countSubmitted } from './tables/transfers.ts';

/** How many transfers (approved, submitted) and transactions (signed, sent) are not settled yet. */
export type SettlementCounts = {
  readonly approved: number;
  readonly submitted: number;
  readonly signed: number;
  readonly sent: number;
};

export async function countOnTheirWay(db: Queries): Promise<SettlementCounts> {
  const [{ signed, sent }, all, submitted] = await Promise.all([
    countTransactions(db),
    countOpenTransfers(db, Number.MAX_SAFE_INTEGER),
    countSubmitted(db),
  ]);
  return { approved: Math.max(0, all - submitted), submitted, signed, sent };
}

/**
 * What admission limits: open transactions, and the open transfers of these app accounts, if there are so many transfers that one may be
 * near its share. Transactions are no measure for that: reverted transfers have no open one.
 */
export async function countBacklog(db: Queries, apps: readonly Address[], many: number): Promise<BacklogCounts> {
  const { signed, sent, settled } = await countTransactions(db);
  const isLittle = apps.length === 0 || (await countOpenTransfers(db, many)) < many;
  return { open: signed + sent, settled, ofApps: isLittle ? new Map() : await countOpenTransfersOf(db, apps) };
}

/** Counts by the relayers' marks, whatever their number. */
async function countTransactions(db: Queries): Promise<{ signed: number; sent: number; settled: number }> {
  const next = await readNextNonces(db);
  const marks = await readMarks(db, [...next.keys()]);
  const counts = { signed: 0, sent: 0, settled: 0 };
  for (const [relayer, nonce] of next) {
    const { consumed, sent } = marks.get(relayer)!;
    const firstUnsent = sent > consumed ? sent : consumed;
    // The chain may know more of a relayer than a database that was restored from a backup.
    counts.signed += Math.max(0, Number(nonce - firstUnsent));
    counts.sent += Number(firstUnsent - consumed);
    counts.settled += Number(consumed);
  }
  return counts;
}
