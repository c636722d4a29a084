import { type Address, ZERO_ADDRESS } from '../../base/address.ts';
import type { Hash } from '../../base/hex.ts';
import { readBalances, readTotalSupply, readUsedAuthorizations } from '../../chain/balances.ts';
import { readHeader } from '../../chain/blocks.ts';
import { type AuditedAccount, readAccountsAt, sumUnclaimed } from '../../ledger/audit.ts';
import { type OpenTransfer, readOpenTransfers, sumOnTheirWay } from '../../settlement/tables/transfer-audit.ts';
import type { Audit } from './audit.ts';

export type Compared = {
  readonly accounts: number;
  readonly onTheirWay: number;
  readonly supply: bigint;
  /** The sum of all balances, each times the hash of its address. */
  readonly balances: bigint;
};

/**
 * Compares all balances and all transfers on their way with the chain at the audit's block, and all holds with what is
 * on its way. Each page of accounts is read in a transaction of its own, which is over before the node is asked. Pages
 * are read at different moments and still belong to one block: a balance at that block is the balance now, less the
 * postings of later blocks, and balances and postings only change together.
 *
 * Throws if the node no longer answers for the block.
 */
export async function compareWithChain(audit: Audit): Promise<Compared> {
  const { rpc, token, block, findings } = audit;
  const { accounts, minted, sum, balances } = await compareAccounts(audit);
  const onTheirWay = await compareTransfers(audit);
  const supply = await readTotalSupply(rpc, token, block.hash);
  if (sum !== supply) findings.addDifference({ kind: 'supply', account: null, ledger: sum, other: supply });
  if (minted !== supply) {
    findings.addDifference({ kind: 'balance', account: ZERO_ADDRESS, ledger: -minted, other: -supply });
  }
  // If the named block was reorganised away, some nodes answer for the block at the same height.
  if ((await readHeader(rpc, block.number))?.hash !== block.hash) throw new Error('it is not on the chain any more');
  return { accounts, onTheirWay, supply, balances };
}

async function compareAccounts(audit: Audit) {
  const { rpc, token, block, pageSize, seed, findings, pace } = audit;
  const totals = { accounts: 0, minted: 0n, sum: 0n, balances: 0n };
  let after: Address | '' = '';
  for (let isLast = false; !isLast; ) {
    const { page, onTheirWay, unclaimed } = await audit.read(async (tx) => {
      const page = await readAccountsAt(tx, block.number, after, pageSize, seed);
      const upTo = page.length < pageSize ? null : page.at(-1)!.account;
      return {
        page,
        onTheirWay: await sumOnTheirWay(tx, after, upTo),
        unclaimed: page.some(({ isTreasury }) => isTreasury) ? await sumUnclaimed(tx) : 0n,
      };
    });
    for (const { hash, postedThen } of page) totals.balances += hash * postedThen;
    compareHolds(audit, page, onTheirWay, unclaimed);

    const ours = page.filter(({ account }) => account !== ZERO_ADDRESS);
    const addresses = ours.map(({ account }) => account);
    const onChain = await readBalances(rpc, token, block.hash, addresses);
    for (const [i, { account, posted, held, postedThen }] of ours.entries()) {
      totals.sum += postedThen;
      if (postedThen !== onChain[i]) {
        findings.addDifference({ kind: 'balance', account, ledger: postedThen, other: onChain[i]! });
      }
      if (posted < held || posted < 0n) findings.addOverdrawn({ account, posted, held });
    }
    totals.accounts += ours.length;
    totals.minted -= page.find(({ account }) => account === ZERO_ADDRESS)?.postedThen ?? 0n;
    isLast = page.length < pageSize;
    after = page.at(-1)?.account ?? after;
    await pace.rest();
  }
  return totals;
}

function compareHolds(
  { findings }: Audit,
  page: readonly AuditedAccount[],
  onTheirWay: Map<Address, bigint>,
  unclaimed: bigint,
): void {
  for (const { account, held, isTreasury } of page) {
    const other = (onTheirWay.get(account) ?? 0n) + (isTreasury ? unclaimed : 0n);
    if (held !== other) findings.addDifference({ kind: 'hold', account, ledger: held, other });
    onTheirWay.delete(account);
  }
  for (const [account, other] of onTheirWay) findings.addDifference({ kind: 'hold', account, ledger: 0n, other });
}

/** A transfer that is on its way now was on its way, or not accepted yet, at any earlier block of this chain. */
async function compareTransfers({ rpc, token, block, pageSize, findings, pace, read }: Audit): Promise<number> {
  let count = 0;
  let after: Hash | null = null;
  for (let isLast = false; !isLast; ) {
    const from: Hash | null = after;
    const page: OpenTransfer[] = await read((tx) => readOpenTransfers(tx, from, pageSize));
    const used = await readUsedAuthorizations(rpc, token, block.hash, page);
    for (const [i, { id, from, amount, isSettled }] of page.entries()) {
      const transfers = [id];
      if (used[i]) findings.addDifference({ kind: 'settled', account: from, ledger: amount, other: 0n, transfers });
      if (isSettled) findings.addDifference({ kind: 'open', account: from, ledger: 0n, other: amount, transfers });
    }
    count += page.length;
    isLast = page.length < pageSize;
    after = page.at(-1)?.nonce ?? after;
    await pace.rest();
  }
  return count;
}
