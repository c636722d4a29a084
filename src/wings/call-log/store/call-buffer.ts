import { countedRows } from '../../../base/counted-rows.ts';
import type { AppId } from '../../../base/ids.ts';
import { shortHash } from '../../../base/secrets.ts';
import type { CallCount } from './call-hours.ts';
import type { LoggedCall, NewCall } from './calls.ts';

/** How a call of an app ended: enough to count it. */
export type CallOutcome = {
  readonly appId: AppId;
  readonly status: number | null;
  readonly code: string | null;
};

/** The rest of a call, before its `Idempotency-Key` is hashed. */
export type CallDetails = Omit<LoggedCall, keyof CallOutcome | 'idempotency'> & {
  readonly idempotencyKey: string | null;
};

export type CallBatch = { readonly calls: readonly NewCall[]; readonly counts: readonly CallCount[] };

/** The calls that wait to be written, in bounded memory. */
export type CallBuffer = {
  /** Counts a call, and keeps its row if there is room. `describe` is asked only then. */
  record(outcome: CallOutcome, describe: () => CallDetails): void;
  /** Takes all that waits; null if nothing does. */
  take(): CallBatch | null;
  /** Adds counts again whose batch was certainly not written. */
  putBack(counts: readonly CallCount[]): void;
  /** Adds to `dropped`: rows that were taken and could not be written. */
  lose(rows: number): void;
  /** Rows that were not kept since the start: beyond a bound, or lost with the database. */
  readonly dropped: number;
};

/** Refusals are kept before successes. */
type OfApp = { readonly refusals: NewCall[]; readonly successes: NewCall[] };

type Bounds = {
  /** Rows of one app between two writes, which are about a second apart. */
  readonly ofApp: number;
  readonly rows: number;
  /** Counts by app, hour and outcome. They pile up only while the database takes no writes. */
  readonly counts: number;
};

const BOUNDS: Bounds = { ofApp: 50, rows: 1_000, counts: 20_000 };
const HOUR_MS = 3_600_000;
const REFUSED = 400;

export function openCallBuffer(bounds = BOUNDS): CallBuffer {
  let apps = new Map<AppId, OfApp>();
  const counts = countedRows<{ -readonly [K in keyof CallCount]: CallCount[K] }>(bounds.counts, (known, { calls }) => {
    known.calls += calls;
  });
  let rows = 0;
  let dropped = 0;

  function count(appId: AppId, hour: number, status: number, code: string, calls: number): void {
    counts.add(`${appId} ${hour} ${status} ${code}`, { appId, hour: new Date(hour), status, code, calls });
  }

  /** Returns where the row belongs; null if there is no room for it. */
  function placeFor({ appId, status }: CallOutcome): NewCall[] | null {
    let own = apps.get(appId);
    if (!own) {
      own = { refusals: [], successes: [] };
      apps.set(appId, own);
    }
    const { refusals, successes } = own;
    const isRefusal = status === null || status >= REFUSED;
    const isFull = rows >= bounds.rows || refusals.length + successes.length >= bounds.ofApp;
    if (isFull) {
      dropped++;
      if (!isRefusal || successes.pop() === undefined) return null;
      rows--;
    }
    rows++;
    return isRefusal ? refusals : successes;
  }

  return {
    record(outcome, describe) {
      const { appId, status, code } = outcome;
      count(appId, Math.floor(Date.now() / HOUR_MS) * HOUR_MS, status ?? 0, code ?? '', 1);
      const place = placeFor(outcome);
      if (!place) return;
      const { idempotencyKey, ...details } = describe();
      place.push({ ...outcome, ...details, idempotency: idempotencyKey === null ? null : shortHash(idempotencyKey) });
    },
    take() {
      if (counts.size === 0) return null;
      const calls = [...apps.values()].flatMap(({ refusals, successes }) => [...refusals, ...successes]);
      const batch = { calls, counts: counts.take() };
      apps = new Map();
      rows = 0;
      return batch;
    },
    putBack(taken) {
      for (const { appId, hour, status, code, calls } of taken) count(appId, hour.getTime(), status, code, calls);
    },
    lose(taken) {
      dropped += taken;
    },
    get dropped() {
      return dropped;
    },
  };
}
