import { HIGHEST_ID, LOWEST_ID } from '../../base/ids.ts';
import { sumDetached } from '../../ledger/archived-months.ts';
import {
  endOfPostingPage,
  endOfRewardPage,
  hasUnequalPayments,
  sumPostings,
  type UnequalPayment,
  unequalPayments,
  unequalPostings,
  unequalRewards,
  unequalRewardTransfers,
} from '../../ledger/audit.ts';
import {
  endOfRequestPage,
  endOfTransferPage,
  unequalRequests,
  unlistedTransfers,
} from '../../settlement/tables/transfer-audit.ts';
import type { Audit } from './audit.ts';
import type { Difference } from './findings.ts';

const BEFORE_ALL_BLOCKS = -(2n ** 63n);

/**
 * Compares the ledger with itself, page by page: rewards with what was claimed of them, requests with their transfers, the settled transfers of some blocks
 * with the logs of these blocks, and all postings with `balances`, the sum of all balances times the hashes of their addresses.
 * Equal sums mean equal balances, but for one chance in 2⁶⁰ or so. If they differ, one statement that reads all postings
 * names the accounts.
 */
export async function compareHistory(audit: Audit, balances: bigint): Promise<void> {
  await compareRewards(audit);
  await compareTransfers(audit);
  await compareRequests(audit);
  if ((await comparePayments(audit)) !== balances) await namePostings(audit);
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

async function compareTransfers({ pageSize, findings, pace, read }: Audit): Promise<void> {
  for (let after: string | null = LOWEST_ID; after !== null; ) {
    const from: string = after;
    const { end, unequal, unlisted } = await read(async (tx) => {
      const end = await endOfTransferPage(tx, from, pageSize);
      const upTo = end ?? HIGHEST_ID;
      return {
        end,
        unequal: await unequalRewardTransfers(tx, from, upTo),
        unlisted: await unlistedTransfers(tx, from, upTo),
      };
    });
    for (const difference of unequal) findings.addDifference({ kind: 'reward', ...difference });
    for (const { id, from, amount } of unlisted) {
      findings.addDifference({ kind: 'open', account: from, ledger: amount, other: 0n, transfers: [id] });
    }
    after = end;
    await pace.rest();
  }
}

async function compareRequests({ pageSize, findings, pace, read }: Audit): Promise<void> {
  for (let after: string | null = LOWEST_ID; after !== null; ) {
    const from: string = after;
    const { end, unequal } = await read(async (tx) => {
      const end = await endOfRequestPage(tx, from, pageSize);
      return { end, unequal: await unequalRequests(tx, from, end ?? HIGHEST_ID) };
    });
    for (const { from, amount, sum, request, status, transfers } of unequal) {
      findings.addDifference({
        kind: 'request',
        account: from,
        ledger: amount,
        other: sum,
        request,
        status,
        transfers,
      });
    }
    after = end;
    await pace.rest();
  }
}

/** Compares completed transfers with logs. Returns the sum of what the logs posted, times the hashes of the addresses. */
async function comparePayments({ block, pageSize, seed, findings, pace, read }: Audit): Promise<bigint> {
  // Of what is in files, only what it adds up to is known.
  const detached = await read((tx) => sumDetached(tx, seed));
  let posted = detached.sum;
  for (let after = detached.upTo ?? BEFORE_ALL_BLOCKS; after < block.number; ) {
    const from = after;
    const { upTo, sum, unequal } = await read(async (tx) => {
      const end = await endOfPostingPage(tx, from, pageSize);
      const upTo = end === null || end > block.number ? block.number : end;
      const sum = await sumPostings(tx, from, upTo, seed);
      const differs = await hasUnequalPayments(tx, from, upTo);
      return { upTo, sum, unequal: differs ? await unequalPayments(tx, from, upTo, findings.most) : [] };
    });
    posted += sum;
    for (const payment of unequal) findings.addDifference(ofPayment(payment));
    if (unequal.length > 0) findings.addUnnamed(Number(unequal[0]!.found) - unequal.length);
    after = upTo;
    await pace.rest();
  }
  return posted;
}

async function namePostings({ findings, read }: Audit): Promise<void> {
  const rows = await read((tx) => unequalPostings(tx, findings.most));
  // The rows have changed since they were added up, or somebody changes them back.
  if (rows.length === 0) throw new Error('balances and postings differed for a moment only');
  for (const { found: _, ...difference } of rows) findings.addDifference({ kind: 'postings', ...difference });
  findings.addUnnamed(Number(rows[0]!.found) - rows.length);
}

function ofPayment({ txHash, from, amount, transfers, logs }: UnequalPayment): Difference {
  const completed = BigInt(transfers.length);
  const kind = logs < completed ? 'unpaid' : 'undecided';
  return { kind, account: from, ledger: completed * amount, other: logs * amount, txHash, transfers };
}
