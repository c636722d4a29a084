import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { migrate } from '../../src/db/migrate.ts';
import { seedOf } from '../kit/run/seed.ts';
import { assertHoldsAreTransfers } from '../kit/service/audit.ts';
import { seedGames } from '../kit/service/crash-seeding.ts';
import type { ServiceProcess } from '../kit/service/crash-service.ts';
import { openWorld, type World } from '../kit/service/crash-world.ts';
import { atEnd } from '../kit/unit/at-end.ts';
import { seededRandom } from '../kit/unit/crash-random.ts';
import { until } from '../kit/unit/until.ts';
import { type Cluster, startCluster } from './cluster.ts';
import { assertExactlyOnce, openJudge } from './judge.ts';
import { type Load, type Payment, startLoad } from './load.ts';

export type Stage = {
  readonly cluster: Cluster;
  readonly world: World;
  /** The processes that the load asks. A test may add some and remove them. */
  readonly services: ServiceProcess[];
  /** The load that is running now. */
  readonly load: Load;
  /** Reads a path of the API, as the game's server. Null without an answer, or with 503. */
  read(path: string): Promise<{ readonly status: number; readonly body: unknown } | null>;
  /** Resolves when so many more payments have been acknowledged since this call. */
  more(count?: number): Promise<void>;
  /**
   * Runs a fault under load, then lets everything settle, and compares the acknowledged payments with the chain's own logs, the ledger with
   * the chain, and holds with transfers. `backWithinS`: after which time without an acknowledged payment the service counts as lost.
   */
  through(fault: () => Promise<void>, options?: { readonly backWithinS?: number }): Promise<void>;
};

/** Two processes of the service on a cluster and a chain. They read lists from the standbys. */
export async function openStage(t: TestContext, options: { clocks?: boolean } = {}): Promise<Stage> {
  const cluster = await startCluster(t, options);
  await migrate(cluster.url);
  const world = await openWorld(cluster.url, {
    env: { RELAYERS: '2', DATABASE_READ_URL: cluster.replicasUrl },
    blockMs: 250,
  });
  atEnd(t, () => world.close());
  const services = [await world.startReady({ seat: 0 }), await world.startReady({ seat: 1 })];
  const random = seededRandom(seedOf('ha'));
  const { client, apps } = await seedGames(world, services[0]!.origin, random);
  const app = apps[0]!;
  const { chain } = await world.operator();
  const judge = openJudge(world, chain.contracts.token);
  const origins = () => services.map(({ origin }) => origin);
  const payments: Payment[] = [];
  let load: Load | null = null;
  const said = () => [cluster.output(), ...services.map((service) => service.output())].join('\n\n');

  const stage: Stage = {
    cluster,
    world,
    services,
    get load() {
      assert.ok(load, 'no load is running');
      return load;
    },
    async read(path) {
      const headers = { authorization: `Bearer ${app.serverKey}` };
      try {
        const answer = await fetch(`${random.pick(origins())}/v1/${path}`, {
          headers,
          signal: AbortSignal.timeout(15_000),
        });
        const body: unknown = await answer.json();
        return answer.status === 503 ? null : { status: answer.status, body };
      } catch {
        return null;
      }
    },
    async more(count = 50) {
      const from = stage.load.accepted;
      await until(`${count} more payments are acknowledged`, () => stage.load.accepted >= from + count, said);
    },
    async through(fault, { backWithinS = Number.POSITIVE_INFINITY } = {}) {
      load = startLoad(origins, { payments, app, payees: client.guests, random });
      try {
        await stage.more();
        load.longestGap();
        await fault();
        await stage.more();
      } catch (error) {
        load.stop();
        throw error;
      }
      await load.drain();
      const gap = load.longestGap();
      await world.settled();
      const verdict = await judge.judge(payments, app.address);
      const { lost, doubled } = verdict;
      t.diagnostic(
        `${load.accepted} accepted, ${load.listed} found in a list at once, ${lost.length} lost, ${doubled.length} doubled, ${gap.toFixed(1)} s without an accepted write`,
      );
      assertExactlyOnce(verdict);
      await assertHoldsAreTransfers(await world.operator());
      assert.match(await world.command(['audit', '--json']), /"equal":\s*true/);
      assert.ok(gap <= backWithinS, `No payment was acknowledged for ${gap.toFixed(1)} s`);
    },
  };
  return stage;
}
