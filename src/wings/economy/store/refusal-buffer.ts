import { countedRows } from '../../../base/counted-rows.ts';
import type { AppId } from '../../../base/ids.ts';
import type { ProblemCode } from '../../../base/problems.ts';
import type { Database } from '../../../db/database.ts';
import type { WantedPayment } from '../../../service/moments.ts';
import type { Service } from '../../../service/service.ts';
import type { NewRefusals } from './refusals.ts';

/**
 * Refused payments that wait to be written, in bounded memory. Equal ones are one entry, so a caller who tries again and again costs no more
 * than one who tries once. Accepted payments never come here.
 */
export type RefusalBuffer = {
  note(payment: WantedPayment, code: ProblemCode): void;
  /** Takes all that waits; null if nothing does. */
  take(): NewRefusals | null;
  /** Adds again what was certainly not written. */
  putBack(taken: NewRefusals): void;
};

/** These do not say that the payment is refused: it may have happened, or happens after the next step, or the call makes no sense. */
const NO_REFUSALS: ReadonlySet<ProblemCode> = new Set([
  ...(['internal', 'outcome-unknown', 'database-unavailable'] as const),
  ...(['confirmation-needed', 'idempotency-mismatch', 'invalid-input', 'app-mismatch'] as const),
]);

/** Entries between two writes, which are about a second apart. They pile up only while the database takes no writes. */
const BOUNDS = { counts: 20_000, players: 1_000, playersOfApp: 100 };

type Entry<Kind extends keyof NewRefusals> = {
  -readonly [K in keyof NewRefusals[Kind][number]]: NewRefusals[Kind][number][K];
};

const DAY_MS = 86_400_000;

const buffers = new WeakMap<Database, RefusalBuffer>();

/** The one of this process's service on a database. */
export function refusalBufferOf({ db }: Pick<Service, 'db'>): RefusalBuffer {
  return buffers.getOrInsertComputed(db, () => openRefusalBuffer());
}

export function openRefusalBuffer(bounds = BOUNDS): RefusalBuffer {
  const counts = countedRows<Entry<'counts'>>(bounds.counts, (known, { count }) => {
    known.count += count;
  });
  const players = countedRows<Entry<'players'>>(bounds.players, (known, { times, lastAt }) => {
    known.times += times;
    if (lastAt > known.lastAt) known.lastAt = lastAt;
  });
  let ofApps = new Map<AppId, number>();

  function count(added: NewRefusals['counts'][number]): void {
    counts.add([Math.floor(added.day.getTime() / DAY_MS), added.appId, added.kind, added.code].join(' '), added);
  }

  function remember(added: NewRefusals['players'][number]): void {
    const { userId, appId, kind, code } = added;
    const key = [userId, appId, kind, code].join(' ');
    if (!players.has(key)) {
      const ofApp = ofApps.get(appId) ?? 0;
      if (players.size >= bounds.players || ofApp >= bounds.playersOfApp) return;
      ofApps.set(appId, ofApp + 1);
    }
    players.add(key, added);
  }

  function note({ userId, ...payment }: WantedPayment, code: ProblemCode): void {
    if (NO_REFUSALS.has(code)) return;
    const now = new Date();
    count({ ...payment, code, day: now, count: 1 });
    if (userId !== null) remember({ ...payment, userId, code, times: 1, lastAt: now });
  }

  return {
    note,
    take() {
      if (counts.size === 0) return null;
      const taken = { counts: counts.take(), players: players.take() };
      ofApps = new Map();
      return taken;
    },
    putBack(taken) {
      for (const one of taken.counts) count(one);
      for (const one of taken.players) remember(one);
    },
  };
}
