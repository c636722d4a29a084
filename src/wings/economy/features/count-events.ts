import type { AppId } from '../../../base/ids.ts';
import type { Tx } from '../../../db/database.ts';
import {
  type AppHour,
  addToHours,
  type DelayCount,
  type HourCounts,
  lockCounting,
  NO_COUNTS,
  setCounted,
} from '../../../requests/app-hours.ts';
import { type RequestHistory, readHistories } from '../../../requests/transitions.ts';
import type { Service } from '../../../service/service.ts';
import { type FedEvent, readEventFeed } from '../../../webhooks/event-feed.ts';
import { bucketOf } from '../views/delays.ts';
import { rollUpBite } from './roll-up.ts';

/** `bite`: how many events one transaction counts. `most`: how many transactions one view of the overview takes. */
const PACE = { bite: 2_000, most: 25 };

/**
 * Counts an app's new events into its hours. Returns where the count is whole from, and whether all was counted. If not, call again.
 *
 * Each event is counted once: the place up to which they are counted moves in the same transaction, under a lock that only counting takes.
 * Nothing is counted while payments are made, so they cost nothing more.
 */
export async function countEvents(
  { db }: Pick<Service, 'db'>,
  appId: AppId,
  pace = PACE,
): Promise<{ readonly wholeSince: Date; readonly isAll: boolean }> {
  for (let taken = 1; ; taken++) {
    const counted = await db.transaction((tx) => countBite(tx, appId, pace.bite));
    if (counted.isAll || taken === pace.most) return counted;
  }
}

type Counted = Awaited<ReturnType<typeof countEvents>>;

/** What this process counts now, by app. */
const underWay = new WeakMap<Service['db'], Map<AppId, Promise<Counted>>>();

/**
 * The same for a viewer, and then a bite of the ledger's new blocks, so that a payment and its quarters show together. Viewers of one app
 * share a count: if each waited for the lock, a few open pages of a busy app would take all connections to the database, which payments need.
 */
export function countForViewer(service: Parameters<typeof rollUpBite>[0], appId: AppId): Promise<Counted> {
  const { db } = service;
  const counts = underWay.get(db) ?? new Map<AppId, Promise<Counted>>();
  underWay.set(db, counts);
  const running = counts.get(appId);
  if (running) return running;
  const counting = countEvents(service, appId)
    .then(async (counted) => {
      await rollUpBite(service);
      return counted;
    })
    .finally(() => counts.delete(appId));
  counts.set(appId, counting);
  return counting;
}

async function countBite(tx: Tx, appId: AppId, most: number) {
  const { position, eventId, wholeSince } = await lockCounting(tx, appId);
  const events = await readEventFeed(tx, appId, { position, id: eventId }, most);
  const histories = await readHistories(tx, [...new Set(events.flatMap(({ requestId }) => requestId ?? []))]);
  const sums = new Sums();
  for (const event of events) {
    const history = event.requestId && histories.get(event.requestId);
    if (history) count(sums, event, history);
  }
  const [hours, delays] = [sums.hours(), sums.delays()];
  if (hours.length > 0) await addToHours(tx, appId, hours, delays);
  const last = events.at(-1);
  const isAll = events.length < most;
  const place = { position: last?.position ?? position, eventId: last?.id ?? eventId, wholeSince };
  await setCounted(tx, appId, place, isAll ? null : last!.createdAt);
  return { wholeSince, isAll };
}

/** What a bite changes, by hour. */
class Sums {
  readonly #hours = new Map<number, { -readonly [Count in keyof HourCounts]: HourCounts[Count] }>();
  readonly #delays = new Map<number, Map<number, number>>();

  add(at: Date, change: Partial<HourCounts>): void {
    const hour = hourOf(at);
    const sum = this.#hours.get(hour) ?? { ...NO_COUNTS };
    this.#hours.set(hour, sum);
    for (const [name, value] of Object.entries(change)) sum[name as keyof HourCounts] += value;
  }

  addDelay(at: Date, milliseconds: number, count: number): void {
    const hour = hourOf(at);
    const buckets = this.#delays.get(hour) ?? new Map<number, number>();
    this.#delays.set(hour, buckets);
    const bucket = bucketOf(milliseconds);
    buckets.set(bucket, (buckets.get(bucket) ?? 0) + count);
  }

  hours(): AppHour[] {
    return [...this.#hours].map(([hour, counts]) => ({ hour: new Date(hour), ...counts }));
  }

  delays(): DelayCount[] {
    return [...this.#delays].flatMap(([hour, buckets]) =>
      [...buckets].map(([bucket, of]) => ({ hour: new Date(hour), bucket, count: of })),
    );
  }
}

const HOUR_MS = 3_600_000;

function hourOf(at: Date): number {
  return Math.floor(at.getTime() / HOUR_MS) * HOUR_MS;
}

function count(sums: Sums, { type, createdAt }: FedEvent, history: RequestHistory): void {
  const what = type.slice(type.indexOf('.') + 1);
  if (what === 'completed') settle(sums, createdAt, history, 1);
  else if (what === 'reorged') takeBack(sums, createdAt, history);
  else if (
    what === 'approved' ||
    what === 'declined' ||
    what === 'expired' ||
    what === 'cancelled' ||
    what === 'failed'
  ) {
    sums.add(createdAt, { [what]: 1 });
  }
}

/** Counts a completion in its hour, or takes it back. */
function settle(sums: Sums, at: Date, { source, transitions }: RequestHistory, sign: 1 | -1): void {
  if (source === 'user') sums.add(at, { payments: sign });
  else if (source === 'payout') sums.add(at, { payouts: sign });
  else sums.add(at, { refunds: sign });
  // Payouts and refunds are approved as they are made.
  const approved = transitions.find(({ event }) => event === 'approve') ?? transitions[0];
  if (approved) sums.addDelay(at, at.getTime() - approved.at.getTime(), sign);
}

/** A reorganisation has undone an outcome, which was counted in the hour of that outcome. */
function takeBack(sums: Sums, at: Date, history: RequestHistory): void {
  const { transitions } = history;
  // The event has the time of its transition.
  const undone = transitions.findLastIndex((made) => made.event === 'reorg' && made.at.getTime() === at.getTime());
  const outcome = transitions
    .slice(0, Math.max(undone, 0))
    .findLast(({ event }) => event === 'complete' || event === 'fail');
  if (outcome?.event === 'complete') settle(sums, outcome.at, history, -1);
  if (outcome?.event === 'fail') sums.add(outcome.at, { failed: -1 });
}
