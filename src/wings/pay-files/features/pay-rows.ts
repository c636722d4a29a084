import { setTimeout as delay } from 'node:timers/promises';
import { Problem } from '../../../base/problems.ts';
import { issueChange, openOperatorAcceptance } from '../../../features/payments/issue-quarters.ts';
import { lastingKey } from '../../../idempotency/keys.ts';
import type { Accepted, Instruction } from '../../../service/instruction.ts';
import type { Service } from '../../../service/service.ts';
import { databaseProblem } from '../../../service/unknown-outcome.ts';
import { MAX_GROUP } from '../../../settlement/accept/accept.ts';
import { countBacklog } from '../../../settlement/backlog.ts';
import type { PayBatch } from '../store/pay-batches.ts';
import { keyOfRow, requestOfRow, transferOfRow } from './batch-rows.ts';
import type { BatchPlan, PlannedRow } from './pay-batch.ts';
import { isFaultOfRow, isPassing } from './row-refusals.ts';

/**
 * What became of a row. `unpaid`: the run stopped before it; the next run pays it. `unknown`: the database went away while it was paid; the next
 * run finds out.
 */
export type RowOutcome = {
  readonly row: PlannedRow;
  readonly status: 'paid' | 'refused' | 'unpaid' | 'unknown';
  /** This run has paid it, so nothing had before. */
  readonly isPaidNow: boolean;
  readonly transfer: Pick<Accepted, 'transferId' | 'txHash'> | null;
  readonly reason: string | null;
};

export type BatchOutcome = {
  /** In the order of the file. */
  readonly outcomes: readonly RowOutcome[];
  /** Why the run ended before the end of the file; null if it did not. An error that is no refusal is a fault of the program. */
  readonly stopped: Error | 'interrupted' | null;
};

type Options = {
  readonly signal: AbortSignal;
  readonly report: (done: number, total: number, note?: string) => void;
  /** How long refusals that pass by themselves may keep every row back. Left out: half a minute. */
  readonly patienceMs?: number;
};

/** So many groups are under way: while one is committed, the next is signed. */
const GROUPS_AT_ONCE = 3;
const LOOK_AGAIN_MS = 500;
const TRY_AGAIN_MS = 500;
const PATIENCE_MS = 30_000;

const UNKNOWN = 'The database went away while the row was paid. The next run finds out, and pays it if it was not.';

/** What became of a file of which nothing is left to pay, so that no run begins. */
export function settledOutcome({ rows }: Pick<BatchPlan, 'rows'>): BatchOutcome {
  const outcomes = rows.map((row): RowOutcome => {
    if (row.paid) return paidOutcome(row, { transferId: row.paid.id, txHash: row.paid.txHash }, false);
    return row.refusal === null ? leftOutcome(row, 'unpaid', null) : leftOutcome(row, 'refused', row.refusal);
  });
  return { outcomes, stopped: null };
}

/**
 * Pays the rows of a batch that are not paid yet, many at once. Each is paid exactly once, however often this runs, and wherever at the same
 * time: the id of its transfer is derived from the batch and what the row says, and while runs overlap, an idempotency key lets one of them pay.
 *
 * It takes no more than half of the places for transfers on their way, so that the payments of games continue. Resolves when no row is being
 * paid any more, and says what became of each, whatever failed. Never throws.
 */
export async function payRows(
  service: Service,
  plan: BatchPlan,
  batch: PayBatch,
  options: Options,
): Promise<BatchOutcome> {
  const run = openRun(plan, options);

  async function pay(accept: Accept, row: PlannedRow): Promise<void> {
    try {
      const accepted = await run.patiently(async () => accept(await instructionOf(service, plan, batch, row)), row);
      if (accepted) run.end(paidOutcome(row, accepted, !accepted.replayed || run.isUncertain(row)));
    } catch (error) {
      if (isFaultOfRow(error)) run.end(leftOutcome(row, 'refused', error.message));
      else run.stop(error);
    }
  }

  const underWay = new Set<Promise<unknown>>();
  const { signal } = run;
  try {
    const acceptance = await run.patiently(() => openOperatorAcceptance(service));
    for (let i = 0; acceptance && i < run.due.length; i += MAX_GROUP) {
      await run.patiently(() => hasRoom(service, signal, run.waits));
      if (signal.aborted) break;
      const { accept } = acceptance;
      const group: Promise<unknown> = Promise.all(
        run.due.slice(i, i + MAX_GROUP).map((row) => pay(accept, row)),
      ).finally(() => underWay.delete(group));
      underWay.add(group);
      if (underWay.size >= GROUPS_AT_ONCE) await Promise.race(underWay);
    }
  } catch (error) {
    run.stop(error);
  }
  await Promise.all(underWay);
  return run.outcome();
}

type Accept = Awaited<ReturnType<typeof openOperatorAcceptance>>['accept'];

/** What a run knows: what became of each row, and whether it goes on. */
function openRun(plan: BatchPlan, options: Options) {
  const outcomes = new Map<PlannedRow, RowOutcome>();
  for (const outcome of settledOutcome(plan).outcomes) {
    if (outcome.status !== 'unpaid') outcomes.set(outcome.row, outcome);
  }
  /** A COMMIT that may have paid them had no answer. */
  const uncertain = new Set<PlannedRow>();
  const stopping = new AbortController();
  const signal = AbortSignal.any([stopping.signal, options.signal]);
  const { patienceMs = PATIENCE_MS } = options;
  let stopped: BatchOutcome['stopped'] = null;
  /** Null while something goes on. */
  let heldBackSince: number | null = null;

  const report = (note?: string) => options.report(outcomes.size, plan.rows.length, note);
  return {
    due: plan.rows.filter((row) => !outcomes.has(row)),
    signal,
    isUncertain: (row: PlannedRow) => uncertain.has(row),
    end(outcome: RowOutcome): void {
      outcomes.set(outcome.row, outcome);
      report();
    },
    /** The chain is slow, and nothing fails. */
    waits(): void {
      heldBackSince = null;
      report('waiting for the chain');
    },
    stop(error: unknown): void {
      stopped ??= error instanceof Error ? error : new Error(String(error));
      stopping.abort();
    },
    /**
     * Does `work` again while it is refused for a reason that passes, until nothing in this run has gone on for too long. Null if the run
     * was stopped before. Throws the refusal.
     */
    async patiently<T>(work: () => Promise<T>, row?: PlannedRow): Promise<T | null> {
      while (!signal.aborted) {
        try {
          const result = await work();
          heldBackSince = null;
          return result;
        } catch (error) {
          const refusal = databaseProblem(error) ?? error;
          if (row && refusal instanceof Problem && refusal.code === 'outcome-unknown') uncertain.add(row);
          heldBackSince ??= performance.now();
          if (!isPassing(refusal) || performance.now() - heldBackSince >= patienceMs) throw refusal;
          await delay(TRY_AGAIN_MS, undefined, { signal }).catch(() => {});
        }
      }
      return null;
    },
    outcome(): BatchOutcome {
      const left = (row: PlannedRow) =>
        uncertain.has(row) ? leftOutcome(row, 'unknown', UNKNOWN) : leftOutcome(row, 'unpaid', null);
      return {
        outcomes: plan.rows.map((row) => outcomes.get(row) ?? left(row)),
        stopped: stopped ?? (options.signal.aborted ? 'interrupted' : null),
      };
    },
  };
}

function paidOutcome(
  row: PlannedRow,
  transfer: Pick<Accepted, 'transferId' | 'txHash'>,
  isPaidNow: boolean,
): RowOutcome {
  return { row, status: 'paid', isPaidNow, transfer, reason: null };
}

function leftOutcome(row: PlannedRow, status: 'refused' | 'unpaid' | 'unknown', reason: string | null): RowOutcome {
  return { row, status, isPaidNow: false, transfer: null, reason };
}

/** Waits until no more than half of the places for transfers on their way are taken. Nothing else counts them for a command. */
async function hasRoom({ db, settlement, admission }: Service, signal: AbortSignal, waits: () => void): Promise<void> {
  while (!signal.aborted) {
    await admission.recount((apps, many) => countBacklog(db, apps, many));
    if (settlement.backlog * 2 < Math.max(2, admission.limit)) return;
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
