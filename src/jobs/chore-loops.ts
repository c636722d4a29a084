import { setTimeout as delay } from 'node:timers/promises';
import { forgetRows, type KeptRows } from '../db/keep-until.ts';
import { forgetClosedNames } from '../features/operator-log/forget-names.ts';
import { pruneBlocksBelow, readCursor } from '../ledger/blocks.ts';
import { markToEmpty } from '../ledger/closed-accounts.ts';
import { findOutOfTime } from '../requests/requests.ts';
import { loadAll } from '../service/house.ts';
import type { Service } from '../service/service.ts';
import { finalBlock } from '../settlement/finality.ts';
import { mayAct } from '../settlement/may-act.ts';
import { suspectStranded } from '../settlement/readiness.ts';
import { replaceIndexPlaceholders } from '../settlement/tables/block-index.ts';
import { forgetOldNonces } from '../settlement/tables/nonces.ts';
import { transitionRequests } from '../settlement/transition-requests.ts';
import { CHORES, type Chore, KEPT } from './additions.ts';
import { KEPT_ROWS } from './kept-rows.ts';
import { type Loop, repeat } from './repeat.ts';

const PAUSE_MS = 5_000;
/** Expired data may stay for another minute: it is no longer used. */
const FORGETTING_PAUSE_MS = 60_000;
/** Other code notices nearly all of them at once. */
const STRANDED_PAUSE_MS = 15_000;
/** Repairs of an earlier version's data scan everything, so they run rarely. */
const THOROUGH_PAUSE_MS = 3_600_000;
/** A transaction of so many rows is over in a blink, so that nothing waits for it. */
const EXPIRE_MOST = 200;
const FORGET_MOST = 1_000;
const MARK_MOST = 10_000;
/** A chore that has more to do rests for so many times as long as it worked. It then takes a fifth of one core at most. */
const REST_PER_WORK = 4;
const MOST_REST_MS = 2_000;
/** Blocks to keep behind the newest, for rewinding after a reorganisation. Older ones would be read from the chain again. */
const BLOCKS_KEPT = 10_000n;

/** The chores of the core by name. */
const OWN_CHORES: Readonly<Record<string, Chore>> = {
  'expire requests': inBites(EXPIRE_MOST, (service) => expireRequests(service, EXPIRE_MOST)),
  'forget blocks': inBites(FORGET_MOST, async ({ db, settings, settlement }) => {
    const cursor = await readCursor(db);
    if (!cursor) return 0;
    const kept = finalBlock({ settings, settlement }, cursor.number) - BLOCKS_KEPT;
    await forgetOldNonces(db, kept);
    return pruneBlocksBelow(db, kept, FORGET_MOST);
  }),
  'check closed accounts': async ({ db }) => (await markToEmpty(db, MARK_MOST)) === MARK_MOST,
  'check names of closed accounts': async (service) => {
    await forgetClosedNames(service);
    return false;
  },
  'check the index of transfers by block': async ({ db, log }) => {
    const placeholders = await replaceIndexPlaceholders(db);
    if (placeholders > 0) log.warn({ placeholders }, 'the index of transfers by block was half made, and is mended');
    return false;
  },
  // A slow, complete search for transfers without a transaction. Other code raises the same flag when it suspects one.
  'suspect stranded transfers': async (service) => {
    suspectStranded(service);
    return false;
  },
};

type Chores = Readonly<Record<string, () => Promise<boolean>>>;

/** The chores by name, those of wings too. All wait while the database may be older than the chain: what it has as pending may be paid. */
export async function choresOf(service: Service): Promise<Chores> {
  const kept: Readonly<Record<string, readonly KeptRows[]>> = Object.assign(
    {},
    KEPT_ROWS,
    ...(await loadAll(service.house, KEPT)),
  );
  // Skips rows that another process has locked until the next turn, so two processes never wait for each other.
  const forgetting = (rules: readonly KeptRows[]) =>
    inBites(FORGET_MOST, ({ db }) => forgetRows(db, rules, FORGET_MOST));
  const chores: Readonly<Record<string, Chore>> = Object.assign(
    {},
    OWN_CHORES,
    ...(await loadAll(service.house, CHORES)),
  );
  const all = { ...chores, ...mapValues(kept, forgetting) };
  return mapValues(all, (chore) => async () => mayAct(service.readiness) && chore(service));
}

function mapValues<From, To>(values: Readonly<Record<string, From>>, change: (value: From) => To): Record<string, To> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]));
}

/**
 * Starts the periodic chores, each in its own loop: one that fails or has much to do must not delay the others. They begin one
 * after the other, because all at once would take most of the database's connections.
 */
export function choreLoops(service: Service, chores: Chores, firstAfterMs: number): Loop[] {
  const all = Object.entries(chores);
  return all.map(([name, chore], i) =>
    repeat(name, service, pauseOf(name), chore, firstAfterMs + (i * PAUSE_MS) / all.length),
  );
}

function pauseOf(name: string): number {
  if (name.startsWith('check')) return THOROUGH_PAUSE_MS;
  if (name.startsWith('suspect')) return STRANDED_PAUSE_MS;
  return name.startsWith('forget') ? FORGETTING_PAUSE_MS : PAUSE_MS;
}

/** `work` resolves with the number of rows, `most` if more may be left. A start after a long stop finds millions of them. */
function inBites(most: number, work: (service: Service) => Promise<number>): Chore {
  return async (service) => {
    const began = performance.now();
    if ((await work(service)) < most) return false;
    await delay(Math.min((performance.now() - began) * REST_PER_WORK, MOST_REST_MS));
    return true;
  };
}

/** Marks pending requests that have run out of time as expired, at most `most`. Returns how many. */
export async function expireRequests({ db }: Pick<Service, 'db'>, most: number): Promise<number> {
  const ids = await findOutOfTime(db, most);
  if (ids.length === 0) return 0;
  return (await db.transaction((tx) => transitionRequests(tx, ids, 'expire', 'clock'))).length;
}
