import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { openCrashAudit } from './crash-audit.ts';
import { furnish } from './crash-furniture.ts';
import { seededRandom } from './crash-random.ts';
import type { KillPoint, ServiceProcess } from './crash-service.ts';
import { openBegunWorld, type World } from './crash-world.ts';
import type { LoadClient } from './load-client.ts';
import type { TestApp } from './service.ts';

export type Stage = {
  readonly world: World;
  readonly client: LoadClient;
  readonly apps: readonly TestApp[];
  /** The service that runs, or a new one where none does. */
  service(): Promise<ServiceProcess>;
  /**
   * Has the service die at `point`, brought there by `provoke` (by default: load), and sees it dead. Then starts it anew,
   * asks again for what had no answer, waits until all is settled, and compares everything.
   */
  diesAndHeals(point: KillPoint, options?: Provocation): Promise<void>;
};

export type Provocation = {
  /** The point is one of the start: a service that runs would not come to it again. */
  readonly atStart?: boolean;
  /** Runs while the service lives; what it throws after the service's death is the death's own doing. */
  provoke?(service: ServiceProcess, dead: AbortSignal): Promise<unknown>;
  /** Looks at what was left behind, before the next start. */
  meanwhile?(): Promise<unknown>;
  readonly hashesMayChange?: boolean;
};

/** Far beyond what the busiest machine needs: what lives by then never comes to the point. */
const DIES_WITHIN_MS = 5 * 60_000;

/** A world for kill points. One for several points: each leaves it settled. */
export async function openStage(
  t: TestContext,
  /** `rewritten`: set where blocks or transactions are replaced: then each audit reads the chain from its first block on. */
  { rewritten = false, ...options }: { env?: Record<string, string>; rewritten?: boolean } = {},
): Promise<Stage> {
  const world = await openBegunWorld(t, options);
  // A start costs seconds: the service that healed one death is the one that dies next.
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
  const { client, apps } = await furnish(world, (await service()).origin, seededRandom(1));

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
        // Where something differed, the next point still begins with a service that is well.
        await world.killAll();
        await world.mine(true);
        await world.leasesRunOut();
        throw error;
      }
    },
  };
}

/** Brings the service to the point, and asserts that it died there and of nothing else. */
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
