import type { Address } from '../../../base/address.ts';
import { Problem } from '../../../base/problems.ts';
import type { Quarters } from '../../../base/quarters.ts';
import type { Tx } from '../../../db/database.ts';
import type { App } from '../../../identity/apps.ts';
import { findAccounts } from '../../../ledger/accounts.ts';
import { type HourCounts, NO_COUNTS, readAppHours, readDelays } from '../../../requests/app-hours.ts';
import { callCountsOf, type ErrorHour } from '../../../service/call-counts.ts';
import type { Service } from '../../../service/service.ts';
import { endOfHour } from '../base/periods.ts';
import { readHourFlows, sumFlows } from '../store/read-flows.ts';
import { percentile } from './delays.ts';
import { readCounted } from './read-economy.ts';
import { type AppMoved, balanceChange, movedByApp } from './sums.ts';

/** What the overview can show: so many hours, in steps of so many. Steps begin at multiples of their length, in UTC. */
export const PERIODS = {
  '24h': { hours: 24, step: 1 },
  '7d': { hours: 7 * 24, step: 6 },
  '30d': { hours: 30 * 24, step: 24 },
} as const;

export type PeriodName = keyof typeof PERIODS;

/** Sums over some hours. Amounts are quarters of the ledger's blocks of these hours. */
export type Totals = HourCounts &
  AppMoved & {
    /** Calls of the API by the app and its players: all, and those that were refused (4xx) or failed (5xx). */
    readonly calls: number;
    readonly refused: number;
    readonly faults: number;
    /** Milliseconds from approval to completion: what half of the payments took, and what 95 of 100 did. Null without payments. */
    readonly median: number | null;
    readonly p95: number | null;
    /** The most that a completion took, rounded up to the end of its bucket. */
    readonly slowest: number | null;
  };

export type PeriodStep = Totals & {
  readonly from: Date;
  /** The confirmed balance at its end; now, in the last step. */
  readonly balance: bigint;
};

export type ErrorCount = { readonly code: string; readonly count: number };

export type Statistics = {
  readonly period: PeriodName;
  /** Of the app's account. */
  readonly address: Address;
  readonly steps: readonly PeriodStep[];
  readonly balance: Quarters;
  /** Of the balance, what payouts on their way hold. */
  readonly held: Quarters;
  readonly totals: Totals;
  /** The same hours of the period before, with the balance at its end. Null if not all of it is counted. */
  readonly before: (Totals & { readonly balance: bigint }) | null;
  /** How often each error occurred in the period, the most frequent first. */
  readonly errors: readonly ErrorCount[];
  /** False if nothing counts calls: then there are none, and no errors. */
  readonly countsCalls: boolean;
  /** False while older events or blocks are still to be counted. Look again. */
  readonly isAll: boolean;
};

const HOUR_MS = 3_600_000;

/** How far an app's events are counted. */
export type CountedEvents = { readonly wholeSince: Date; readonly isAll: boolean };

/** An app's statistics for a period that ends now, of one state of what is counted. */
export async function readStatistics(
  { reads, house }: Pick<Service, 'reads' | 'house'>,
  app: App,
  period: PeriodName,
  events: CountedEvents,
  now: Date,
): Promise<Statistics> {
  const callCounts = await callCountsOf(house);
  return reads.snapshot((tx) => readPeriod(tx, callCounts, app, period, events, now));
}

async function readPeriod(
  tx: Tx,
  callCounts: Awaited<ReturnType<typeof callCountsOf>>,
  app: App,
  period: PeriodName,
  { wholeSince, isAll: areEventsAll }: CountedEvents,
  now: Date,
): Promise<Statistics> {
  const { hours, step } = PERIODS[period];
  const stepMs = step * HOUR_MS;
  const start = Math.floor(now.getTime() / stepMs) * stepMs - (hours - step) * HOUR_MS;
  const startBefore = start - hours * HOUR_MS;
  const elapsed = endOfHour(now).getTime() - start;

  const [account] = await findAccounts(tx, { apps: [app.id] });
  if (!account) throw new Problem('not-found', 'The app has no account.');
  const [counts, delays, flows, inAll, calls, errors, counted] = await Promise.all([
    readAppHours(tx, app.id, new Date(startBefore)),
    readDelays(tx, app.id, new Date(startBefore)),
    readHourFlows(tx, app.id, new Date(startBefore)),
    sumFlows(tx, null, null, app.id),
    callCounts?.readCallHours(tx, app.id, new Date(startBefore)) ?? [],
    callCounts?.readErrorHours(tx, app.id, new Date(start)) ?? [],
    readCounted(tx),
  ]);

  const totals = (from: number, until: number): Totals => {
    const isIn = ({ hour }: { readonly hour: Date }) => from <= hour.getTime() && hour.getTime() < until;
    const buckets = new Map<number, number>();
    for (const { bucket, count } of delays.filter(isIn)) buckets.set(bucket, (buckets.get(bucket) ?? 0) + count);
    const called = calls.filter(isIn);
    return {
      ...counts.filter(isIn).reduce(sumOf, NO_COUNTS),
      ...movedByApp(flows.filter(isIn)),
      calls: called.reduce((sum, hour) => sum + hour.calls, 0),
      refused: called.reduce((sum, { refused }) => sum + refused, 0),
      faults: called.reduce((sum, { failed }) => sum + failed, 0),
      median: percentile(buckets, 0.5),
      p95: percentile(buckets, 0.95),
      slowest: percentile(buckets, 1),
    };
  };
  // Back from what is counted, so that what is not yet changes the last step alone.
  const countedBalance = balanceChange(inAll);
  const balanceBefore = (until: number) =>
    countedBalance - balanceChange(flows.filter(({ hour }) => hour.getTime() >= until));
  const steps = Array.from({ length: hours / step }, (_, i) => {
    const from = start + i * stepMs;
    const isLast = from + stepMs > now.getTime();
    const balance = isLast ? account.posted : balanceBefore(from + stepMs);
    return { from: new Date(from), balance, ...totals(from, from + stepMs) };
  });
  const isAll = areEventsAll && counted.isWhole;
  const isWholeBefore = isAll && wholeSince.getTime() <= startBefore;
  return {
    ...{ period, steps, isAll, address: account.address, balance: account.posted, held: account.held },
    totals: totals(start, Number.POSITIVE_INFINITY),
    errors: countErrors(errors),
    countsCalls: callCounts !== null,
    before: isWholeBefore ? { ...totals(startBefore, startBefore + elapsed), balance: balanceBefore(start) } : null,
  };
}

function countErrors(errors: readonly ErrorHour[]): ErrorCount[] {
  const sums = new Map<string, number>();
  for (const { code, count } of errors) sums.set(code, (sums.get(code) ?? 0) + count);
  return [...sums].map(([code, count]) => ({ code, count })).sort((a, b) => b.count - a.count);
}

function sumOf(sum: HourCounts, one: HourCounts): HourCounts {
  const names = Object.keys(NO_COUNTS) as (keyof HourCounts)[];
  return Object.fromEntries(names.map((name) => [name, sum[name] + one[name]])) as HourCounts;
}
