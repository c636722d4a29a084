import { setTimeout as delay } from 'node:timers/promises';
import { type Address, ZERO_ADDRESS } from '../../base/address.ts';
import type { Hash } from '../../base/hex.ts';
import type { TransferId } from '../../base/ids.ts';
import { readBalances, readTotalSupply, readUsedAuthorizations } from '../../chain/balances.ts';
import { readHeader } from '../../chain/blocks.ts';
import {
  lockAudit,
  readAllBalances,
  type UnequalPayment,
  unequalClaims,
  unequalHolds,
  unequalPayments,
  unequalPostings,
} from '../../ledger/audit.ts';
import { readCursor } from '../../ledger/blocks.ts';
import type { Service } from '../../settlement/service.ts';
import { transfersOnTheirWay } from '../../settlement/tables/transfers.ts';

/**
 * What was compared, in quarters:
 *
 * | kind | `ledger` | `other` |
 * |---|---|---|
 * | balance | the account's posted balance | the token's balance of it |
 * | postings | the account's posted balance | the sum of its postings |
 * | hold | the account's hold | the sum of its transfers on their way; for the treasury, also of unclaimed rewards |
 * | reward | the claimed part of a reward, or what the treasury paid of rewards | the sum of the claims |
 * | supply | the sum of all balances | the token's total supply |
 * | unpaid | completed transfers | fewer logs that paid them |
 * | undecided | completed transfers, often none | more logs from an account of ours: somebody else has its key |
 * | settled | a transfer on its way | 0, since its authorization is used or cancelled |
 */
export type Difference = {
  readonly kind: 'balance' | 'postings' | 'hold' | 'reward' | 'supply' | 'unpaid' | 'undecided' | 'settled';
  /** The account concerned; null for the supply. */
  readonly account: Address | null;
  readonly ledger: bigint;
  readonly other: bigint;
  readonly txHash?: Hash;
  readonly transfers?: readonly TransferId[];
};

/**
 * An account whose balance is less than its hold. That is normal right after a reorganisation reverted a spent deposit,
 * but should be checked.
 */
export type Overdrawn = { readonly account: Address; readonly posted: bigint; readonly held: bigint };

export type AuditReport = {
  /** The block at which ledger and chain were compared. */
  readonly block: bigint;
  readonly blockHash: Hash;
  readonly accounts: number;
  readonly onTheirWay: number;
  readonly supply: bigint;
  readonly differences: readonly Difference[];
  readonly overdrawn: readonly Overdrawn[];
  readonly seconds: number;
};

type Deps = Pick<Service, 'db' | 'rpc' | 'chain'>;

const TRY_FOR_MS = 30_000;
const PAUSE_MS = 50;
const MAX_PAUSE_MS = 500;

/**
 * Compares the ledger with the chain, and with itself, at the last block that is completely posted. The service keeps
 * running: the database is read in one snapshot, and then the chain is asked at that snapshot's block, by its hash. If
 * the block is gone by then (reorganised, or its state too old for the node), a newer one is used. A difference is
 * reported only if a second comparison finds differences too, because nodes give wrong answers for moments around a
 * reorganisation.
 *
 * Throws a readable Error if that does not succeed within half a minute.
 */
export async function auditLedger(deps: Deps): Promise<AuditReport> {
  return (await audit(deps, false))!;
}

/** {@link auditLedger} for the schedule: null while another process audits; throws when `signal` asks it to stop. */
export function auditLedgerAlone(deps: Deps, signal: AbortSignal): Promise<AuditReport | null> {
  return audit(deps, true, signal);
}

async function audit(deps: Deps, alone: boolean, signal?: AbortSignal): Promise<AuditReport | null> {
  const deadline = Date.now() + TRY_FOR_MS;
  let isSecondComparison = false;
  for (let pause = PAUSE_MS; ; pause = Math.min(pause * 2, MAX_PAUSE_MS)) {
    const began = performance.now();
    const ledger = await readLedger(deps, alone);
    if (ledger === 'busy') return null;
    let reason = 'no block is wholly posted';
    if (ledger !== 'incomplete') {
      try {
        const report = await compare(deps, ledger, began, signal);
        if (report.differences.length === 0 || isSecondComparison) return report;
        isSecondComparison = true;
        reason = `block ${report.block} differed, and a second comparison did not succeed`;
      } catch (error) {
        signal?.throwIfAborted();
        reason = `block ${ledger.block.number}: ${(error as Error).message}`;
      }
    }
    if (Date.now() + pause > deadline) {
      throw new Error(
        `The ledger could not be compared with the chain: ${reason}. The service must be running, and its node in sync.`,
      );
    }
    await delay(pause, undefined, signal && { signal });
  }
}

type Ledger = Exclude<Awaited<ReturnType<typeof readLedger>>, string>;

/** Reads everything from the database in one snapshot, before waiting for the network. */
function readLedger({ db }: Deps, alone: boolean) {
  return db.snapshot(async (tx) => {
    if (alone && !(await lockAudit(tx))) return 'busy' as const;
    const block = await readCursor(tx);
    if (!block?.complete) return 'incomplete' as const;
    return {
      block,
      balances: await readAllBalances(tx),
      onTheirWay: await transfersOnTheirWay(tx),
      differences: [
        ...(await unequalPostings(tx)).map((unequal) => ({ kind: 'postings' as const, ...unequal })),
        ...(await unequalHolds(tx)).map((unequal) => ({ kind: 'hold' as const, ...unequal })),
        ...(await unequalClaims(tx)).map((unequal) => ({ kind: 'reward' as const, ...unequal })),
        ...(await unequalPayments(tx)).map(ofPayment),
      ] satisfies Difference[],
    };
  });
}

async function compare(
  { rpc, chain }: Deps,
  { block, balances, onTheirWay, differences }: Ledger,
  began: number,
  signal?: AbortSignal,
): Promise<AuditReport> {
  const { token } = chain.contracts;
  const accounts = balances.filter(({ account }) => account !== ZERO_ADDRESS);
  const supply = await readTotalSupply(rpc, token, block.hash);
  signal?.throwIfAborted();
  const onChain = await readBalances(
    rpc,
    token,
    block.hash,
    accounts.map(({ account }) => account),
  );
  signal?.throwIfAborted();
  const used = await readUsedAuthorizations(rpc, token, block.hash, onTheirWay);
  // If the named block was reorganised away, some nodes answer for the block at the same height.
  if ((await readHeader(rpc, block.number))?.hash !== block.hash) throw new Error('it is not on the chain any more');

  const minted = -(balances.find(({ account }) => account === ZERO_ADDRESS)?.posted ?? 0n);
  const sum = accounts.reduce((total, { posted }) => total + posted, 0n);
  return {
    block: block.number,
    blockHash: block.hash,
    accounts: accounts.length,
    onTheirWay: onTheirWay.length,
    supply,
    differences: [
      ...unequal('supply', null, sum, supply),
      ...unequal('balance', ZERO_ADDRESS, -minted, -supply),
      ...accounts.flatMap(({ account, posted }, i) => unequal('balance', account, posted, onChain[i]!)),
      ...differences,
      ...onTheirWay.flatMap(({ id, from, amount }, i): Difference[] =>
        used[i] ? [{ kind: 'settled', account: from, ledger: amount, other: 0n, transfers: [id] }] : [],
      ),
    ],
    overdrawn: accounts.filter(({ posted, held }) => posted < held || posted < 0n),
    seconds: (performance.now() - began) / 1000,
  };
}

function unequal(kind: 'supply' | 'balance', account: Address | null, ledger: bigint, other: bigint): Difference[] {
  return ledger === other ? [] : [{ kind, account, ledger, other }];
}

function ofPayment({ txHash, from, amount, transfers, logs }: UnequalPayment): Difference {
  const completed = BigInt(transfers.length);
  const kind = logs < completed ? 'unpaid' : 'undecided';
  return { kind, account: from, ledger: completed * amount, other: logs * amount, txHash, transfers };
}
