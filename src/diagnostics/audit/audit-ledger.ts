import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Address } from '../../base/address.ts';
import type { Hash } from '../../base/hex.ts';
import type { Rpc } from '../../chain/rpc.ts';
import type { Database } from '../../db/database.ts';
import { isPosted, type PostedBlock, readCursor } from '../../ledger/blocks.ts';
import type { Audit } from './audit.ts';
import { compareHistory } from './compare-history.ts';
import { compareWithChain } from './compare-with-chain.ts';
import { type Difference, type FoundCounts, type Overdrawn, openFindings } from './findings.ts';
import { openPace } from './pace.ts';

export type AuditReport = {
  /** The block at which ledger and chain were compared. */
  readonly block: bigint;
  readonly blockHash: Hash;
  readonly accounts: number;
  readonly onTheirWay: number;
  readonly supply: bigint;
  readonly differences: readonly Difference[];
  readonly overdrawn: readonly Overdrawn[];
  /** How many there are, if not all are named. */
  readonly found: FoundCounts;
  readonly seconds: number;
};

export type AuditDeps = {
  readonly db: Pick<Database, 'snapshot'>;
  readonly rpc: Rpc;
  readonly chain: { readonly contracts: { readonly token: Address } };
};

export type AuditOptions = {
  /** How many differences of a kind, and overdrawn accounts, are named (null: all). */
  readonly most?: number | null;
  /** Rows of a page. */
  readonly pageSize?: number;
};

const TRY_FOR_MS = 30_000;
const LEAST_TRIES = 3;
const PAUSE_MS = 50;
const MAX_PAUSE_MS = 500;
/** Large enough to be quick, small enough that a page is over in a blink. */
const PAGE_SIZE = 10_000;

/**
 * Compares the ledger with the chain, and with itself, at the last block that is completely posted. The service keeps
 * running: everything is read in pages, and the chain is asked at the one block, by its hash. If the block is gone by then
 * (reorganised, or its state too old for the node), a newer one is used. A difference is reported only if a second
 * comparison finds differences too, because nodes give wrong answers for moments around a reorganisation.
 *
 * Throws if three tries, and half a minute, were not enough.
 */
export async function auditLedger(deps: AuditDeps, options: AuditOptions = {}): Promise<AuditReport> {
  const deadline = performance.now() + TRY_FOR_MS;
  let isSecondComparison = false;
  let failures = 0;
  for (let pause = PAUSE_MS; ; pause = Math.min(pause * 2, MAX_PAUSE_MS)) {
    const block = await deps.db.snapshot(readCursor);
    let reason = 'no block is wholly posted';
    if (block?.complete) {
      try {
        const report = await compare(deps, block, failures, options);
        if (report.found.differences === 0 || isSecondComparison) return report;
        isSecondComparison = true;
        continue;
      } catch (error) {
        reason = `block ${block.number}: ${(error as Error).message}`;
      }
    }
    failures++;
    if (performance.now() + pause > deadline && failures >= LEAST_TRIES) throw impossible(reason, isSecondComparison);
    await delay(pause);
  }
}

function impossible(reason: string, hadDifferences: boolean): Error {
  const why = hadDifferences ? `it differed once, and a second comparison did not succeed (${reason})` : reason;
  return new Error(
    `The ledger could not be compared with the chain: ${why}. The service must be running, and its node in sync.`,
  );
}

async function compare(
  { db, rpc, chain }: AuditDeps,
  block: PostedBlock,
  failures: number,
  { most = null, pageSize = PAGE_SIZE }: AuditOptions,
): Promise<AuditReport> {
  const began = performance.now();
  const findings = openFindings(most);
  const audit: Audit = {
    rpc,
    token: chain.contracts.token,
    block,
    pageSize,
    seed: randomBytes(8).readBigInt64BE(),
    findings,
    // A node that keeps states for a short time only may have lost that of the block before a slow comparison was over.
    pace: openPace(failures === 0),
    read: (page) =>
      db.snapshot(async (tx) => {
        if (!(await isPosted(tx, block))) throw new Error('a reorganisation has removed it');
        return page(tx);
      }),
  };
  const { balances, ...compared } = await compareWithChain(audit);
  await compareHistory(audit, balances);
  return {
    block: block.number,
    blockHash: block.hash,
    ...compared,
    differences: findings.differences(),
    overdrawn: findings.overdrawn(),
    found: findings.counts(),
    seconds: (performance.now() - began) / 1000,
  };
}
