import { setTimeout as delay } from 'node:timers/promises';
import { Problem } from '../../base/problems.ts';
import { lastingKey } from '../../idempotency/keys.ts';
import type { PayBatch } from '../../ledger/pay-batches.ts';
import type { Accepted, Instruction } from '../../service/instruction.ts';
import type { Service } from '../../service/service.ts';
import { MAX_GROUP } from '../../settlement/accept/accept.ts';
import { countOpenTransfers } from '../../settlement/tables/transfers.ts';
import { keyOfRow, requestOfRow, transferOfRow } from './batch-rows.ts';
import { issueChange, openOperatorAcceptance } from './issue-quarters.ts';
import type { BatchPlan, PlannedRow } from './pay-batch.ts';

/** What became of a row. `unpaid`: the run was stopped before it, or while its outcome was unknown; the next run pays it. */
export type RowOutcome = {
  readonly row: PlannedRow;
  readonly status: 'paid' | 'refused' | 'unpaid';
  readonly transfer: Pick<Accepted, 'transferId' | 'txHash'> | null;
  readonly reason: string | null;
};

export type BatchOutcome = {
  /** In the order of the file. */
  readonly outcomes: readonly RowOutcome[];
  /** Why the run ended before the end of the file; null if it did not. */
  readonly stopped: Problem | 'interrupted' | null;
};

type Options = {
  readonly signal: AbortSignal;
  readonly report: (done: number, total: number, note?: string) => void;
};

/** So many groups are under way: while one is committed, the next is signed. */
const GROUPS_AT_ONCE = 3;
const LOOK_AGAIN_MS = 500;
const TRY_AGAIN_MS = 500;
const TRIES = 60;

/** Refusals that concern every row: the run stops. */
const STOPS = new Set([
  'insufficient-quarters',
  'payments-suspended',
  'app-suspended',
  'database-unavailable',
  'outcome-unknown',
  'internal',
]);
/** Refusals that pass: the row is tried again. */
const PASSES = new Set(['overloaded', 'app-backlog-full', 'quarters-unconfirmed']);

/** What became of a file of which nothing is left to pay, so that no run begins. */
export function settledOutcome({ rows }: Pick<BatchPlan, 'rows'>): BatchOutcome {
  const outcomes = rows.map((row): RowOutcome => {
    if (row.paid) return paidOutcome(row, { transferId: row.paid.id, txHash: row.paid.txHash });
    return { row, status: row.refusal === null ? 'unpaid' : 'refused', transfer: null, reason: row.refusal };
  });
  return { outcomes, stopped: null };
}

/**
 * Pays the rows of a batch that are not paid yet, many at once. Each is paid exactly once, however often this runs, and wherever at the same
 * time: the id of its transfer is derived from the batch and what the row says, and while runs overlap, an idempotency key lets one of them pay.
 *
 * It takes no more than half of the places for transfers on their way, so that the payments of games continue. Resolves when no row is being
 * paid any more. Throws an error that is no refusal.
 */
export async function payRows(
  service: Service,
  plan: BatchPlan,
  batch: PayBatch,
  options: Options,
): Promise<BatchOutcome> {
  const { accept, drained } = await openOperatorAcceptance(service);
  const stop = new AbortController();
  const signal = AbortSignal.any([stop.signal, options.signal]);
  const outcomes = new Map<PlannedRow, RowOutcome>();
  let failure: unknown = null;
  let stopped: BatchOutcome['stopped'] = null;
  for (const outcome of settledOutcome(plan).outcomes) {
    if (outcome.status !== 'unpaid') outcomes.set(outcome.row, outcome);
  }
  const due = plan.rows.filter((row) => !outcomes.has(row));
  const total = plan.rows.length;

  async function pay(row: PlannedRow): Promise<void> {
    try {
      const accepted = await untilDecided(async () => accept(await instructionOf(service, plan, batch, row)), signal);
      if (accepted) outcomes.set(row, paidOutcome(row, accepted));
    } catch (error) {
      if (error instanceof Problem && !STOPS.has(error.code)) {
        outcomes.set(row, { row, status: 'refused', transfer: null, reason: error.message });
        return;
      }
      if (error instanceof Problem) stopped ??= error;
      else failure ??= error;
      stop.abort();
    } finally {
      options.report(outcomes.size, total);
    }
  }

  const underWay = new Set<Promise<unknown>>();
  for (let i = 0; i < due.length && !signal.aborted; i += MAX_GROUP) {
    await hasRoom(service, signal, () => options.report(outcomes.size, total, 'waiting for the chain'));
    if (signal.aborted) break;
    const group: Promise<unknown> = Promise.all(due.slice(i, i + MAX_GROUP).map(pay)).finally(() =>
      underWay.delete(group),
    );
    underWay.add(group);
    if (underWay.size >= GROUPS_AT_ONCE) await Promise.race(underWay);
  }
  await Promise.all(underWay);
  await drained();
  if (failure) throw failure;
  if (options.signal.aborted) stopped ??= 'interrupted';
  const unpaid = (row: PlannedRow): RowOutcome => ({ row, status: 'unpaid', transfer: null, reason: null });
  return { outcomes: plan.rows.map((row) => outcomes.get(row) ?? unpaid(row)), stopped };
}

function paidOutcome(row: PlannedRow, transfer: Pick<Accepted, 'transferId' | 'txHash'>): RowOutcome {
  return { row, status: 'paid', transfer, reason: null };
}

/** Null if it was stopped before a decision. Throws the refusal. */
async function untilDecided(accept: () => Promise<Accepted>, signal: AbortSignal): Promise<Accepted | null> {
  for (let tries = 1; !signal.aborted; tries++) {
    try {
      return await accept();
    } catch (error) {
      if (!(error instanceof Problem && PASSES.has(error.code)) || tries === TRIES) throw error;
      await delay(TRY_AGAIN_MS, undefined, { signal }).catch(() => {});
    }
  }
  return null;
}

/** Waits until no more than half of the places for transfers on their way are taken. */
async function hasRoom({ db, settings }: Service, signal: AbortSignal, waits: () => void): Promise<void> {
  const most = Math.max(1, settings.maxBacklog >> 1);
  while (!signal.aborted && (await countOpenTransfers(db, most)) >= most) {
    waits();
    await delay(LOOK_AGAIN_MS, undefined, { signal }).catch(() => {});
  }
}

async function instructionOf(
  service: Service,
  plan: BatchPlan,
  batch: PayBatch,
  row: PlannedRow,
): Promise<Instruction> {
  const { app, payer } = plan;
  const { to, amount, note } = row;
  const transferId = transferOfRow(batch, row);
  const address = to!.address;
  const terms = {
    transferId,
    from: payer.address,
    to: address,
    amount,
    idempotency: lastingKey(['pay', batch.name], keyOfRow(batch, row), `${address} ${amount}`),
  };
  if (!app)
    return {
      ...terms,
      origin: { kind: 'issue', change: await issueChange(service, transferId, address, { amount, reason: note }) },
    };
  if (!('userId' in to!)) throw new Error('An app pays users only');
  return {
    ...terms,
    origin: {
      kind: 'payout',
      keyHash: null,
      isCapped: false,
      request: {
        ...{ id: requestOfRow(batch, row), appId: app.id, userId: to.userId },
        ...{ source: 'payout', from: payer.address, to: address, amount, description: note },
        ttlSeconds: service.settings.requestTtlSeconds,
      },
    },
  };
}
