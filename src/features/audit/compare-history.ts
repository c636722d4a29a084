import type { Tx } from '../../db/database.ts';
import {
  endOfPostingPage,
  endOfRewardPage,
  sumPostings,
  type UnequalPayment,
  unequalPayments,
  unequalPostings,
  unequalRewards,
  unequalRewardTransfers,
} from '../../ledger/audit.ts';
import { endOfTransferPage, newestTransfer, sumCompleted } from '../../settlement/tables/transfer-audit.ts';
import type { Audit } from './comparison.ts';
import type { Difference } from './findings.ts';

const LOWEST_ID = '00000000-0000-0000-0000-000000000000';
const HIGHEST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
const BEFORE_ALL_BLOCKS = -(2n ** 63n);

/**
 * Compares the ledger with itself: rewards with what was claimed of them, balances with postings, and completed
 * transfers with logs. Rewards are compared page by page. Of transfers and postings only fingerprints are added up, so
 * each row is read once and nothing is kept. Where the sums differ, statements that read everything name the
 * differences.
 */
export async function compareHistory(audit: Audit): Promise<void> {
  await compareRewards(audit);
  await readTransfers(audit);
  await readPostings(audit);
  await nameDifferences(audit);
}

async function compareRewards({ pageSize, findings, pace, read }: Audit): Promise<void> {
  for (let after: string | null = LOWEST_ID; after !== null; ) {
    const from: string = after;
    const { end, unequal } = await read(async (tx) => {
      const end = await endOfRewardPage(tx, from, pageSize);
      return { end, unequal: await unequalRewards(tx, from, end ?? HIGHEST_ID) };
    });
    for (const difference of unequal) findings.addDifference({ kind: 'reward', ...difference });
    after = end;
    await pace.rest();
  }
}

async function readTransfers({ block, pageSize, seed, findings, ledgerSums, pace, read }: Audit): Promise<void> {
  // What was completed up to the block was accepted before. Later transfers come while this reads, and need not be read.
  const last = await read(newestTransfer);
  for (let after: string | null = LOWEST_ID; last !== null && after !== null; ) {
    const from: string = after;
    const { end, sums, unequal } = await read(async (tx) => {
      const end = await endOfTransferPage(tx, from, pageSize);
      const upTo = end === null || end > last ? last : end;
      return {
        end: upTo === last ? null : end,
        sums: await sumCompleted(tx, { after: from, upTo }, block.number, seed),
        unequal: await unequalRewardTransfers(tx, from, upTo),
      };
    });
    ledgerSums.payments.addAll(sums);
    for (const difference of unequal) findings.addDifference({ kind: 'reward', ...difference });
    after = end;
    await pace.rest();
  }
}

async function readPostings({ block, pageSize, seed, postingSums, pace, read }: Audit): Promise<void> {
  for (let after: bigint | null = BEFORE_ALL_BLOCKS; after !== null; ) {
    const from: bigint = after;
    const { end, sums } = await read(async (tx) => {
      const page = await endOfPostingPage(tx, from, pageSize);
      const upTo = page === null || page > block.number ? block.number : page;
      return { end: upTo === block.number ? null : upTo, sums: await sumPostings(tx, from, upTo, seed) };
    });
    postingSums.balances.addAll(sums.balances);
    postingSums.payments.addAll(sums.payments);
    after = end;
    await pace.rest();
  }
}

async function nameDifferences({ block, seed, findings, ledgerSums, postingSums, read }: Audit): Promise<void> {
  const { most } = findings;
  const balances = ledgerSums.balances.differing(postingSums.balances);
  if (balances.length > 0) {
    const unequal = await named((tx) => unequalPostings(tx, seed, balances, most));
    for (const { found: _, ...difference } of unequal) findings.addDifference({ kind: 'postings', ...difference });
  }
  const payments = ledgerSums.payments.differing(postingSums.payments);
  if (payments.length > 0) {
    const unequal = await named((tx) => unequalPayments(tx, block.number, seed, payments, most));
    for (const payment of unequal) findings.addDifference(ofPayment(payment));
  }

  async function named<Row extends { readonly found: bigint }>(find: (tx: Tx) => Promise<Row[]>): Promise<Row[]> {
    const rows = await read(find);
    // The rows have changed since they were added up, or somebody changes them back.
    if (rows.length === 0) throw new Error('the history differed for a moment only');
    findings.addUnnamed(Number(rows[0]!.found) - rows.length);
    return rows;
  }
}

function ofPayment({ txHash, from, amount, transfers, logs }: UnequalPayment): Difference {
  const completed = BigInt(transfers.length);
  const kind = logs < completed ? 'unpaid' : 'undecided';
  return { kind, account: from, ledger: completed * amount, other: logs * amount, txHash, transfers };
}
