import { setTimeout as delay } from 'node:timers/promises';
import { listRelayers } from '../../../chain/relayers.ts';
import { gaveUpWaiting, type Tx } from '../../../db/database.ts';
import { oldestPosting } from '../../../ledger/blocks.ts';
import { recordChange } from '../../../operator-log/record.ts';
import type { Service } from '../../../service/service.ts';
import { refuseWhileSuspended } from '../../../settlement/may-act.ts';
import { type Counts, countRows, createTables, keepShort } from '../store/month-tables.ts';
import { beginMonth, finishMonth, lockMoving } from '../store/months.ts';
import {
  type Bounds,
  FIRST_TIMED_ID,
  type MovedRows,
  moveLoneTransfers,
  movePostings,
  moveRequests,
  moveTransactions,
} from '../store/move-rows.ts';
import { finalDepth, type PlannedMonth } from './plan-months.ts';

export type MoveOptions = {
  /** Where PostgreSQL puts the tables of the month; null: where the others are. */
  readonly tablespace: string | null;
  readonly signal: AbortSignal;
  readonly report: (moved: number) => void;
};

/** What became of a month. `isWhole`: all of it has moved that can; otherwise the next run goes on. */
export type MovedMonth = { readonly month: string; readonly isWhole: boolean; readonly counts: Counts | null };

const MOST_ROWS = 500;
const LEAST_ROWS = 5;
/** Rests in proportion to the time that a step took. */
const REST_PER_WORK = 3;
const AGAIN_AFTER_MS = 200;
/** A database that is so busy for so many tries is left alone. */
const MOST_TRIES = 150;

/**
 * Moves the rows of one month out of the live tables, in steps of a few hundred. Each step is one transaction, so it can be ended anywhere and
 * goes on with the next run, and several runs at once do no harm. Balances and holds do not change: they stand in the accounts.
 *
 * Payments wait for no step: see {@link keepShort}. Rows that somebody has locked, that are not final, or that something refers to, stay.
 */
export async function moveMonth(
  service: Pick<Service, 'db' | 'settings' | 'settlement' | 'readiness'>,
  { month, until, lastBlock }: PlannedMonth,
  { tablespace, signal, report }: MoveOptions,
): Promise<MovedMonth> {
  const { db } = service;
  const begun = await db.transaction(async (tx) => {
    const upTo = await beginMonth(tx, month, lastBlock);
    if (upTo !== null) await createTables(tx, month, upTo, tablespace);
    return upTo;
  });
  if (begun === null) return { month, isWhole: true, counts: null };
  const run: Run = {
    ...{ service, signal, moved: 0, size: MOST_ROWS, report },
    bounds: { month, until, lastBlock: begun },
  };
  for (const step of await stepsOf(run)) if (!(await step())) return { month, isWhole: false, counts: null };
  const counts = await db.snapshot((tx) => countRows(tx, month));
  await db.transaction(async (tx) => {
    await finishMonth(tx, month, counts);
    await recordChange(tx, {
      ...{ action: 'month-archived', subject: { kind: 'service', id: 'ledger' } },
      after: { month, ...counts },
    });
  });
  return { month, isWhole: true, counts };
}

type Run = {
  readonly service: Pick<Service, 'db' | 'settings' | 'settlement' | 'readiness'>;
  readonly bounds: Bounds;
  readonly signal: AbortSignal;
  readonly report: (moved: number) => void;
  moved: number;
  size: number;
};

type Walk = () => Promise<boolean>;

/** Transactions go first, because whether they may depends on their transfers; refunds after their payments. */
async function stepsOf(run: Run): Promise<Walk[]> {
  const { service, bounds } = run;
  const depth = await finalDepth(service);
  const relayers = await listRelayers(service.db);
  // The first block shows of which chain the ledger is.
  const first = await oldestPosting(service.db);
  return [
    ...relayers.map(
      ({ address: relayer }): Walk =>
        () =>
          walk(run, { nonce: -1n, attempt: 0 }, (tx, after, most) =>
            moveTransactions(tx, bounds, { relayer, depth, after, most }),
          ),
    ),
    ...[false, true].map(
      (refunds): Walk =>
        () =>
          walk(run, FIRST_TIMED_ID, (tx, after, most) => moveRequests(tx, bounds, { after, most, refunds })),
    ),
    () =>
      walk(run, { at: '-infinity', id: FIRST_TIMED_ID }, (tx, after, most) =>
        moveLoneTransfers(tx, bounds, { after, most }),
      ),
    () =>
      walk(run, { block: first?.number ?? -1n, log: MOST_LOGS }, (tx, after, most) =>
        movePostings(tx, bounds, { after, most }),
      ),
  ];
}

/** No log has a higher index. */
const MOST_LOGS = 2 ** 31 - 1;

/** Goes through a table to its end. False if the run is to end, or a reorganisation might reach the month. */
async function walk<Place>(
  run: Run,
  from: Place,
  move: (tx: Tx, after: Place, most: number) => Promise<MovedRows<Place>>,
): Promise<boolean> {
  for (let after = from; ; ) {
    if (run.signal.aborted) return false;
    const began = performance.now();
    const step = await patiently(run, (tx) => move(tx, after, run.size));
    if (step === null) return false;
    run.moved += step.moved;
    run.report(run.moved);
    if (step.next === null) return true;
    after = step.next;
    await delay(Math.min((performance.now() - began) * REST_PER_WORK, 2_000));
  }
}

/** Does a step, in smaller ones while these take too long. Null if the run is to end, or the month must not be moved now. */
async function patiently<T>(run: Run, work: (tx: Tx) => Promise<T>): Promise<T | null> {
  const { service, bounds } = run;
  for (let tries = 1; ; tries++) {
    refuseWhileSuspended(service);
    const depth = await finalDepth(service);
    try {
      const done = await service.db.transaction(async (tx) => {
        await keepShort(tx);
        return (await lockMoving(tx, bounds.month, depth)) && work(tx);
      });
      run.size = Math.min(run.size + 25, MOST_ROWS);
      return done;
    } catch (error) {
      if (!gaveUpWaiting(error) || tries === MOST_TRIES) throw error;
      if (run.signal.aborted) return null;
      run.size = Math.max(Math.floor(run.size / 2), LEAST_ROWS);
      await delay(AGAIN_AFTER_MS);
    }
  }
}
