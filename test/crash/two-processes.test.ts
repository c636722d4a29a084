import assert from 'node:assert/strict';
import { test } from 'node:test';
import { perTier } from '../kit/run/tier.ts';
import { notInTurn } from '../kit/run/turns.ts';
import { openCrashAudit } from '../kit/service/crash-audit.ts';
import { crashCases } from '../kit/service/crash-points.ts';
import { seedGames } from '../kit/service/crash-seeding.ts';
import type { ServiceProcess } from '../kit/service/crash-service.ts';
import { openWorldFromSnapshot, type World } from '../kit/service/crash-world.ts';
import { seededRandom } from '../kit/unit/crash-random.ts';
import { until } from '../kit/unit/until.ts';

/** How many relayers each running process holds. */
async function shares(world: World): Promise<number[]> {
  const { db } = await world.operator();
  const rows = await db.query<{ count: bigint }>(
    `SELECT count(*) FROM relayers WHERE purpose = 'settlement' AND lease_expires_at > clock_timestamp()
      GROUP BY lease_holder ORDER BY count(*)`,
  );
  return rows.map(({ count }) => Number(count));
}

const heldEvenly = (world: World) =>
  until('both processes hold two relayers', async () => (await shares(world)).join() === '2,2');

/** A dead process delays others for this long, by the database's clock, however busy the machine is. */
const LEASE_SECONDS = 5;

/** As many as the recovery after a kill needs. The load lasts for a whole lease, and costs all the time. */
const CALLERS = perTier({ usual: 3, all: 8 });

async function longestLeaseSeconds(world: World): Promise<number> {
  const { db } = await world.operator();
  const [row] = await db.query<{ seconds: number }>(
    `SELECT extract(epoch FROM max(lease_expires_at) - clock_timestamp())::float8 AS seconds FROM relayers
      WHERE purpose = 'settlement'`,
  );
  return row!.seconds;
}

test('two processes share the relayers, and either may be killed', async (t) => {
  const world = await openWorldFromSnapshot(t, { env: { RELAYERS: '4' } });
  const services: ServiceProcess[] = [await world.startReady({ seat: 0 }), await world.startReady({ seat: 1 })];
  const { client } = await seedGames(world, services[0]!.origin, seededRandom(3));
  const audit = openCrashAudit(world, client);
  const origins = () => services.map(({ origin }) => origin);
  /** Load for about this long, during which anything may happen; nothing depends on how much. */
  const live = async (milliseconds: number, disturb: () => Promise<unknown> = async () => {}) => {
    const ending = new AbortController();
    const watching = audit.watch(ending.signal);
    const running = client.run(origins(), ending.signal, CALLERS);
    await Promise.race([watching, running, new Promise((resolve) => setTimeout(resolve, milliseconds))]);
    await disturb();
    ending.abort();
    await Promise.all([watching, running]);
  };

  await t.test('each process takes its share of relayers, and both answer', async () => {
    await heldEvenly(world);
    const { db } = await world.operator();
    const unused = () =>
      db.query(
        `SELECT FROM relayers WHERE purpose = 'settlement'
            AND NOT EXISTS (SELECT FROM transactions WHERE relayer = relayers.address)`,
      );
    await until('all relayers have taken part', async () => {
      await live(500);
      return (await unused()).length === 0;
    });
    await client.retry(services[0]!.origin);
    await world.settled();
    for (const origin of origins()) await audit.check(origin);
  });

  for (const victim of Object.values(crashCases({ first: 0 }, { second: 1 }))) {
    await t.test(`process ${victim} is killed under load: the other holds all relayers within seconds`, async () => {
      const survivor = services[1 - victim]!;
      await live(400, async () => {
        const began = performance.now();
        await services[victim]!.kill();
        assert.ok((await longestLeaseSeconds(world)) <= LEASE_SECONDS, 'a dead process holds nothing for longer');
        await until('the survivor holds all relayers', async () => (await shares(world)).join() === '4');
        t.diagnostic(`handed over after ${((performance.now() - began) / 1000).toFixed(1)} s`);
      });
      await client.retry(survivor.origin);
      await world.settled();
      await audit.check(survivor.origin);
      services[victim] = await world.startReady({ seat: victim });
      await heldEvenly(world);
    });
  }

  const bothDie = async () => {
    await live(400, () => Promise.all(services.map((service) => service.kill())));
    await world.leasesRunOut();
    for (const seat of [0, 1]) services[seat] = await world.startReady({ seat });
    await client.retry(services[1]!.origin);
    await world.settled();
    for (const origin of origins()) await audit.check(origin);
  };
  const deaths = crashCases({}, { 'both processes are killed at once: the next ones recover everything': bothDie });
  for (const [name, death] of Object.entries(deaths)) await t.test(name, death);

  await t.test('the same Idempotency-Key at both processes at once is one transfer', async () => {
    await heldEvenly(world);
    for (let round = 0; round < perTier({ usual: 3, all: 10 }); round++) {
      const answers = await client.everywhere(origins(), 'pay', 4);
      assert.ok(answers.length === 8 && answers.every((answer) => answer?.outcome === 'paid'));
      assert.equal(new Set(answers.map((answer) => JSON.stringify(answer))).size, 1);
    }
    await world.settled();
    await audit.check(services[0]!.origin);
  });

  await t.test('the same request approved at both processes at once is one transfer', async () => {
    for (const { address } of client.guests) await world.issue(address, 1_000_000);
    await world.settled();
    for (let round = 0; round < perTier({ usual: 2, all: 5 }); round++) {
      const answers = await client.everywhere(origins(), 'approve', 3);
      assert.equal(new Set(answers.map((answer) => JSON.stringify(answer))).size, 1, JSON.stringify(answers));
    }
    await world.settled();
    for (const origin of origins()) await audit.check(origin);
  });
});

test('two processes with one relayer: both pay, and the survivor sends what both have accepted', {
  skip: notInTurn(2, 'one relayer'),
}, async (t) => {
  const world = await openWorldFromSnapshot(t);
  const services: ServiceProcess[] = [await world.startReady({ seat: 0 }), await world.startReady({ seat: 1 })];
  const { client } = await seedGames(world, services[0]!.origin, seededRandom(5));
  const audit = openCrashAudit(world, client);
  const pay = async (seat: number) => {
    const { answer } = await client.one(services[seat]!.origin, 'pay');
    assert.equal(answer?.outcome, 'paid', JSON.stringify(answer));
  };

  await t.test('both processes are ready and pay, although only one sends', async () => {
    // A process that joins may take the relayer over, and for a moment nobody holds it.
    await until('one process holds the relayer', async () => (await shares(world)).join() === '1');
    for (const [seat, { origin }] of services.entries()) {
      assert.equal((await fetch(`${origin}/readyz`)).status, 200);
      for (let i = 0; i < 3; i++) await pay(seat);
    }
    await world.settled();
    for (const { origin } of services) await audit.check(origin);
  });

  for (const victim of Object.values(crashCases({ first: 0 }, { second: 1 }))) {
    await t.test(`process ${victim} is killed: the other pays at once, and under load sends for both`, async () => {
      const survivor = services[1 - victim]!;
      await world.mine(false);
      await pay(victim);
      await services[victim]!.kill();
      const { db } = await world.operator();
      const [killed] = await db.query<{ at: string }>('SELECT clock_timestamp()::text AS at');
      await pay(1 - victim);
      await world.mine(true);
      const ending = new AbortController();
      const running = client.run([survivor.origin], ending.signal, CALLERS);
      await until('the survivor holds the relayer', async () => {
        const [row] = await db.query<{ held: boolean }>(
          `SELECT lease_expires_at > $1::timestamptz + make_interval(secs => $2) AS held FROM relayers
            WHERE purpose = 'settlement'`,
          [killed!.at, LEASE_SECONDS],
        );
        return row!.held;
      });
      ending.abort();
      await running;
      await client.retry(survivor.origin);
      await world.settled();
      await audit.check(survivor.origin);
      services[victim] = await world.startReady({ seat: victim });
    });
  }
});
