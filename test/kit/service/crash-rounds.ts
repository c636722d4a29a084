import { seededRandom } from '../unit/crash-random.ts';
import { type Figures, openCrashAudit } from './crash-audit.ts';
import { seedGames } from './crash-seeding.ts';
import type { World } from './crash-world.ts';

export type Round = {
  readonly number: number;
  /** Load before the kill. */
  readonly loadMs: number;
  /** How many processes were killed. */
  readonly killed: number;
  /** Whether one was killed again soon after it was ready. */
  readonly twice: boolean;
  /** Calls without an answer when the service died, and how many of them were decided nevertheless. */
  readonly unanswered: number;
  readonly replayed: number;
  readonly settledMs: number;
  /** For all rounds so far. */
  readonly figures: Figures;
};

export type Rounds = {
  readonly seed: number;
  /** Service processes on the one database and chain; each round kills some or all of them. */
  readonly processes?: number;
  /** Called before each round. */
  goOn(done: number): boolean;
  report?(round: Round): void;
};

/**
 * Each round: load, kill -9 at a random moment, start, retry, wait until settled, compare everything. Throws at the
 * first difference.
 */
export async function crashRounds(world: World, { seed, processes = 1, goOn, report }: Rounds): Promise<Figures> {
  const random = seededRandom(seed);
  const services = [await world.startReady()];
  while (services.length < processes) services.push(await world.startReady({ seat: services.length }));
  const { client } = await seedGames(world, services[0]!.origin, random);
  // A game that has only what its players pay it: most of its payments are refused.
  const poor = await world.createApp();
  for (let i = 0; i < 2; i++) await client.newGuest(services[0]!.origin, poor);
  const audit = openCrashAudit(world, client);
  let figures = await audit.check(services[0]!.origin);
  const anyOrigin = () => random.pick(services).origin;

  const restart = async (seats: readonly number[]) => {
    // A start waits for the leases of dead processes to expire, unless a running process takes them. If none runs, time
    // is moved: real waiting is tested with two processes.
    if (seats.length === services.length) await world.leasesRunOut();
    for (const seat of seats) services[seat] = await world.startReady({ seat });
  };

  for (let number = 1; goOn(number - 1); number++) {
    const ending = new AbortController();
    const watching = audit.watch(ending.signal);
    const running = client.run(
      services.map(({ origin }) => origin),
      ending.signal,
    );
    const loadMs = random.between(30, 700);
    await Promise.race([pause(loadMs), watching, running]);
    const first = random.between(0, processes - 1);
    const victims = Array.from({ length: random.between(1, processes) }, (_, i) => (first + i) % processes);
    await Promise.all(victims.map((seat) => services[seat]!.kill()));
    ending.abort();
    await Promise.all([running, watching]);

    await restart(victims);
    const unanswered = client.calls.filter(({ answer }) => answer === null).length;
    const replaysBefore = client.replays;
    const twice = random.between(1, 4) === 1;
    if (twice) {
      // Killed again while it heals.
      const retrying = client.retryOnce(services[first]!.origin);
      await pause(random.between(0, 120));
      await services[first]!.kill();
      await retrying;
      await restart([first]);
    }
    const started = performance.now();
    await client.retry(anyOrigin());
    await world.settled();
    const settledMs = Math.round(performance.now() - started);
    figures = await audit.check(anyOrigin());
    const replayed = client.replays - replaysBefore;
    report?.({ number, loadMs, killed: victims.length, twice, unanswered, replayed, settledMs, figures });
  }
  return figures;
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
