import type { TransferId } from '../../base/ids.ts';
import { Problem } from '../../base/problems.ts';
import { readHeader } from '../../chain/blocks.ts';
import { type AuditReport, auditLedger } from '../../diagnostics/audit/audit-ledger.ts';
import { readDetached } from '../../ledger/archived-months.ts';
import { auditingAlone } from '../../ledger/audit-lock.ts';
import { storeAudit } from '../../ledger/last-audit.ts';
import { forgetKnownBlock, readKnownBlock, readSuspension } from '../../ledger/suspension.ts';
import type { RunningProcess } from '../../membership/processes.ts';
import { recordChange } from '../../operator-log/record.ts';
import { loadAll } from '../../service/house.ts';
import { HISTORY_CHANGED } from '../../service/moments.ts';
import type { Service } from '../../service/service.ts';
import { isChainInOrder } from '../../settlement/attach.ts';
import { refreshSuspension } from '../../settlement/readiness.ts';
import { settleUsed } from '../../settlement/settle-used.ts';
import { listOpenTransfers, listOpenTransfersFrom } from '../../settlement/tables/open-transfers.ts';
import { countUnnamed, readRecovery } from '../../settlement/tables/recovered.ts';
import { readVouchedHeader } from '../../settlement/vouch.ts';
import { acceptSuspension } from '../repair/accept-suspension.ts';
import { besideService, type ChainReading, type ReportStep } from './chain-reading.ts';
import { firstBlockSince } from './find-lost.ts';
import { namePayments } from './name-payments.ts';
import { addFound, type FoundPayments, recoverCancellations, recoverPayments } from './recover-payments.ts';

export type RestoreReport = FoundPayments & {
  /** The blocks that were looked at. */
  readonly first: bigint;
  readonly last: bigint;
  /** Requests that were approved and paid since the backup. */
  readonly requests: number;
  readonly refunds: number;
  readonly cancellations: number;
  /** Payments whose requests cannot be made again yet, because nobody has named their app, their player, or the payment that they refund. */
  readonly unnamed: number;
  /** Transfers on their way that earlier blocks had paid, as after a call was repeated before anything was restored. */
  readonly settled: number;
  /** Transactions of relayers that still wait in a node's pool, and may be mined later; and payments whose blocks are not read yet. */
  readonly waiting: number;
  /** Transfers on their way that wait until their payers have enough again, the first ones. */
  readonly unpayable: readonly TransferId[];
  readonly audit: Pick<AuditReport, 'differences' | 'block'>;
  /** Whether payments are accepted now. Not if they were suspended and the audit found a difference. */
  readonly resumed: boolean;
  /** Processes that still refuse payments. They have not read in time that these are resumed. */
  readonly late: readonly RunningProcess[];
};

/** The clocks of machines and miners may differ by so much. */
const MARGIN_MS = 60 * 60 * 1000;
/** How many transfers are named that cannot be paid. */
const MOST_NAMED = 100;

/**
 * Makes a database that was restored from an older backup know again what the chain knows: the accounts that were paid since, their keys, all
 * payments, and which requests and refunds they were. Then compares ledger and chain, and lets payments continue.
 *
 * It runs beside a service, which has suspended payments and follows the chain. It can be ended at any step and run again: each step finds
 * only what is missing. `since`: look at payments since then, also if nothing is suspended; by default since the last block that the restored
 * database knew.
 *
 * Throws `not-found` if no restore is due and `since` is null.
 */
export async function restoreFromChain(
  service: Service,
  since: Date | null,
  report: ReportStep,
): Promise<RestoreReport> {
  const restored = await auditingAlone(service.db, (lock) =>
    restoreAlone(service, since, (...step) => {
      lock.requireHeld();
      report(...step);
    }),
  );
  if (!restored)
    throw new Error('Another process restores or audits the ledger at this moment. Try again when it has ended.');
  return restored;
}

/** What waited in a pool may be mined during the search. Then the audit finds it, and the search is made once more. */
async function restoreAlone(service: Service, since: Date | null, report: ReportStep): Promise<RestoreReport> {
  const { db } = service;
  const suspension = await readSuspension(db);
  let found = await restoreOnce(service, since, report);
  if (found.audit.differences.length > 0) found = addSearches(found, await restoreOnce(service, since, report));
  const { audit } = found;
  await storeAudit(db, { ...audit, ...audit.found });
  const isEqual = audit.differences.length === 0;
  const late = isEqual && suspension ? (await acceptSuspension(service)).late : [];
  // What waits is in later blocks than this.
  if (isEqual && found.waiting === 0) await forgetKnownBlock(db);
  await refreshSuspension(service);
  return { ...found, unpayable: await listUnpayable(service, audit), late, resumed: isEqual || !suspension };
}

/** Transfers on their way from accounts that hold more than they have. */
export async function listUnpayable(
  { db }: Pick<Service, 'db'>,
  { overdrawn }: Pick<AuditReport, 'overdrawn'>,
): Promise<TransferId[]> {
  const accounts = overdrawn.map(({ account }) => account);
  return (await listOpenTransfersFrom(db, accounts, MOST_NAMED)).map(({ id }) => id);
}

/** What one search has found. */
export type Found = Omit<RestoreReport, 'resumed' | 'late' | 'unpayable' | 'audit'>;
type Restored = Found & { readonly audit: AuditReport };

/** Both together, with the second one's blocks, and its audit. */
export function addSearches<Search extends Found>(one: Found, other: Search): Search {
  return {
    ...other,
    ...addFound(one, other),
    requests: one.requests + other.requests,
    refunds: one.refunds + other.refunds,
    cancellations: one.cancellations + other.cancellations,
    settled: one.settled + other.settled,
  };
}

async function restoreOnce(service: Service, since: Date | null, report: ReportStep): Promise<Restored> {
  const found = await findOnce(service, since, besideService(service, report), report);
  report('Comparing the ledger with the chain');
  return { ...found, audit: await auditLedger(service) };
}

/** Finds all that the database lacks in the blocks that `reading` gives, and stores it. */
export async function findOnce(
  service: Service,
  since: Date | null,
  reading: ChainReading,
  report: ReportStep,
): Promise<Found> {
  const { db, chain } = service;
  const knownBlock = await readKnownBlock(db);
  if (knownBlock === null && !since) {
    throw new Problem('not-found', 'Payments are not suspended: the chain has nothing that the database lacks.');
  }
  if (!(await isChainInOrder(service)))
    throw new Problem('chain-unavailable', 'The node must answer and have our contracts. See `chain` in /readyz.');
  const waiting = await reading.untilPoolIsEmpty();
  const { last, unread } = await reading.untilFollowed();
  const backedUp = knownBlock === null ? since : await timeOf(service, knownBlock);
  const from = earlier(since ?? backedUp);
  // What is in files was whole when it was written, and nothing live can be compared with it.
  const lowest = ((await readDetached(db))?.lastBlock ?? chain.startBlock - 1n) + 1n;
  const first = from ? await firstBlockSince(service, from, lowest, last) : lowest;
  const found = await recoverPayments(service, first, last, (done, total) => report('Reading payments', done, total));
  const cancellations = await recoverCancellations(service, first, last);
  report('Finding requests');
  const { requests, refunds } = await namePayments(service);
  const unnamed = await countUnnamed(db);
  report('Settling what was paid before it was accepted');
  const { completed, failed } = await settleUsed(service, listOpenTransfers);
  // Hours were counted without knowing whose the accounts are, and what the payments were.
  if (await readRecovery(db)) {
    const recounting = await loadAll(service.house, HISTORY_CHANGED);
    await db.transaction(async (tx) => {
      for (const recount of recounting) await recount(tx);
    });
  }
  await db.transaction(async (tx) => {
    const after = { payments: found.payments, accounts: found.accounts, requests, refunds, cancellations };
    await recordChange(tx, { action: 'database-restored', subject: { kind: 'service', id: 'payments' }, after });
  });
  const settled = completed + failed;
  return { ...found, first, last, requests, refunds, cancellations, unnamed, settled, waiting: waiting + unread };
}

const earlier = (moment: Date | null): Date | null => moment && new Date(moment.getTime() - MARGIN_MS);

/** When a block was mined; null if the chain does not have it any more, or never had it. */
async function timeOf(service: Service, block: bigint): Promise<Date | null> {
  const { rpc, chain } = service;
  const isThere = block >= chain.startBlock && (await readHeader(rpc, block)) !== null;
  return isThere ? (await readVouchedHeader(service, block)).minedAt : null;
}
