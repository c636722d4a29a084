import { setDatabaseTime, stopDatabaseTime } from './database-time.ts';
import { countDue, nextDue } from './due.ts';
import { Refused } from './refused.ts';
import type { World } from './world.ts';

const DAY_MS = 86_400_000;
/** What is due within a second is done together. */
const GRAIN_MS = 1_000;
/** After so many stops, the rest of the way has at most half as many, and what is due between two of them is done together. */
const FINE_STOPS = 100;
const LAST = Date.UTC(9999, 11, 31);

/** How often it stopped, the end included. */
export type Moved = { readonly stops: number };

/**
 * Moves the clock forward. On the way it stops wherever something is due, in order, and at the end of each day, which statistics note. At each stop
 * and at the end, the service does what it has to do by then, as if the time had passed. `targetFrom`: where to, given the time now.
 */
export async function moveClock(world: World, targetFrom: (now: number) => number): Promise<Moved> {
  const { time, blocks } = world;
  const wasFrozen = time.state().frozenAt !== null;
  await stopClock(world);
  try {
    const begin = time.now();
    const target = targetFrom(begin);
    if (!(target >= begin))
      throw new Refused(`It is ${new Date(begin).toISOString()} already. Only a reset goes back.`);
    if (target > LAST) throw new Refused('The clock goes up to the end of the year 9999.');
    const stops = await goThrough(world, begin, target);
    // The chain's time follows: its newest block is not of long ago.
    if (begin < target && blocks.mode() !== 'manual') await blocks.mine(1);
    return { stops };
  } finally {
    if (!wasFrozen) await startClock(world);
  }
}

/** Lets the clock stand still. The service goes on working. */
export async function stopClock(world: World): Promise<void> {
  const { time, service } = world;
  // The database's clock goes on until it stops, so it stops first: no clock goes back.
  const stoppedAt = await stopDatabaseTime(service.db);
  await goTo(world, Math.max(stoppedAt, time.now()), true);
}

/** Lets the clock go on from where it stands. */
export const startClock = (world: World): Promise<void> => goTo(world, world.time.now(), false);

async function goTo({ time, service }: World, at: number, isFrozen: boolean): Promise<void> {
  const forwardMs = at - time.now();
  time.goOnFrom(time.stateAt(at, isFrozen));
  await setDatabaseTime(service.db, time.state(), forwardMs);
}

async function goThrough(world: World, begin: number, target: number): Promise<number> {
  const settling = { isPossible: world.blocks.mode() === 'instant' && world.gate.isOpen };
  await doWhatIsDue(world, settling);
  let stops = 0;
  for (let here = begin; here < target; stops++) {
    const grain = stops < FINE_STOPS ? GRAIN_MS : Math.max(GRAIN_MS, (2 * (target - begin)) / FINE_STOPS);
    const endOfDay = Math.floor((here + 1) / DAY_MS + 1) * DAY_MS - 1;
    const until = Math.min(target, Math.max(endOfDay, here + grain));
    here = Math.min((await nextDue(world.service.db, here, until, grain)) ?? until, target);
    await goTo(world, here, true);
    await doWhatIsDue(world, settling);
  }
  return stops;
}

/** A game that pays for each event that it gets would never come to an end. */
const MOST_ROUNDS = 50;

/** Lets the service work until it has done what is due. What it cannot do, such as deliveries to a disabled endpoint, stays. */
async function doWhatIsDue(world: World, settling: { isPossible: boolean }): Promise<void> {
  const { service, time, turn, settled, deliver } = world;
  let before: bigint | null = null;
  for (let round = 0; round < MOST_ROUNDS; round++) {
    await turn();
    if (settling.isPossible && (await hasOpenPayments(world))) {
      // Those that cannot be settled wait for the chain, as in life.
      settling.isPossible = await settled().then(
        () => true,
        () => false,
      );
      await turn();
    }
    // What the last loop has caused may be under way by now. Moved on, the time would end its lease, and it would be sent twice.
    await deliver();
    const due = await countDue(service.db, time.now());
    if (due === 0n || due === before) return;
    before = due;
  }
}

async function hasOpenPayments({ service }: World): Promise<boolean> {
  return (await service.db.query('SELECT FROM open_transfers LIMIT 1')).length > 0;
}
