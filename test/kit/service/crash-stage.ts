import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { seededRandom } from '../unit/crash-random.ts';
import { openCrashAudit } from './crash-audit.ts';
import { seedGames } from './crash-seeding.ts';
import type { KillPoint, ServiceProcess } from './crash-service.ts';
import { openWorldFromSnapshot, type World } from './crash-world.ts';
import type { LoadClient } from './load-client.ts';
import type { TestApp } from './service.ts';

export type Stage = {
  readonly world: World;
  readonly client: LoadClient;
  readonly apps: readonly TestApp[];
  /** The running service, or a new one if none runs. */
  service(): Promise<ServiceProcess>;
  /**
   * Makes the service die at `point`, where `provoke` (by default: load) leads it, and verifies its death. Then starts
   * it again, retries calls without an answer, waits until everything is settled, and compares everything.
   */
  diesAndHeals(point: KillPoint, options?: Provocation): Promise<void>;
};

export type Provocation = {
  /** The point is part of a start, so a running service would not reach it again. */
  readonly atStart?: boolean;
  /** Runs while the service lives. Errors after the service's death are caused by it. */
  provoke?(service: ServiceProcess, dead: AbortSignal): Promise<unknown>;
  /** Inspects what was left behind, before the next start. */
  meanwhile?(): Promise<unknown>;
  readonly hashesMayChange?: boolean;
};

/** Far longer than the busiest machine needs: what lives by then never reaches the point. */
const DIES_WITHIN_MS = 5 * 60_000;

/** A world for several kill points: each leaves it settled. */
export async function openStage(
  t: TestContext,
  /**
   * `rewritten`: set if blocks or transactions are replaced. Then each audit reads the chain from its first block on.
   */
  { rewritten = false, ...options }: { env?: Record<string, string>; rewritten?: boolean } = {},
): Promise<Stage> {
  const world = await openWorldFromSnapshot(t, options);
  // A start costs seconds, so the service that healed one kill is the next to be killed.
  let running: ServiceProcess | null = null;
  const service = async () => {
    if (running) return running;
    const started = await world.startReady();
    running = started;
    void started.exited.then(() => {
      running = null;
    });
    return started;
  };
  const { client, apps } = await seedGames(world, (await service()).origin, seededRandom(1));

  const readingOn = openCrashAudit(world, client);
  const armed = async (point: KillPoint) => {
    const doomed = await service();
    await doomed.arm(point);
    return doomed;
  };
  const startDoomed = async (point: KillPoint) => {
    await running?.stop();
    return world.start({ killPoint: point });
  };
  const load = async (service: ServiceProcess, dead: AbortSignal) => client.run([service.origin], dead, 4);
  return {
    world,
    client,
    apps,
    service,
    async diesAndHeals(point, { atStart = false, provoke = load, meanwhile, hashesMayChange = false } = {}) {
      try {
        const doomed = await (atStart ? startDoomed(point) : armed(point));
        await provokeDeath(doomed, point, provoke);
        await meanwhile?.();
        await world.leasesRunOut();
        const healed = await service();
        await client.retry(healed.origin);
        await world.settled();
        const audit = rewritten ? openCrashAudit(world, client, { hashesMayChange }) : readingOn;
        await audit.check(healed.origin);
      } catch (error) {
        t.diagnostic(running ? `the service's last words: ${running.output().slice(-4_000)}` : 'no service runs');
        // After a difference, the next point still begins with a healthy service.
        await world.killAll();
        await world.mine(true);
        await world.leasesRunOut();
        throw error;
      }
    },
  };
}

/** Leads the service to the point, and asserts that it died there and for no other reason. */
export async function provokeDeath(
  service: ServiceProcess,
  point: KillPoint,
  provoke: NonNullable<Provocation['provoke']>,
): Promise<void> {
  const ending = new AbortController();
  const died = service.exited.then(() => ending.abort());
  const late = setTimeout(() => void service.kill(), DIES_WITHIN_MS);
  let fault: unknown;
  if (service.ready) {
    await provoke(service, ending.signal).catch((error) => {
      fault = error;
    });
  }
  await died;
  clearTimeout(late);
  const where = `killed: ${point.when} ${point.at} ${point.match}\n`;
  assert.ok(service.output().includes(where), `It did not die ${where}${service.output()}\n${fault ?? ''}`);
}
