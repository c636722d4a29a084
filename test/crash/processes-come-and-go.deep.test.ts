import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { listProcesses } from '../../src/membership/processes.ts';
import { seedOf } from '../kit/run/seed.ts';
import { perTier } from '../kit/run/tier.ts';
import { openCrashAudit } from '../kit/service/crash-audit.ts';
import { seedGames } from '../kit/service/crash-seeding.ts';
import type { ServiceProcess } from '../kit/service/crash-service.ts';
import { openWorldFromSnapshot, type World } from '../kit/service/crash-world.ts';
import { seededRandom } from '../kit/unit/crash-random.ts';
import { until } from '../kit/unit/until.ts';

const RELAYERS = 6;
const MOST_SEATS = 4;
/** Calls a second of one credential, over all processes. */
const RATE_LIMIT = 40;

/** Which processes hold relayers now, and how many each. */
async function heldRelayers(world: World): Promise<number[]> {
  const { db } = await world.operator();
  const rows = await db.query<{ count: bigint }>(
    `SELECT count(*) FROM relayers WHERE purpose = 'settlement' AND lease_expires_at > clock_timestamp()
      GROUP BY lease_holder ORDER BY count(*)`,
  );
  return rows.map(({ count }) => Number(count));
}

test('processes join, stop and die at random under payments: nothing is lost or doubled, and what they share stays shared', async (t) => {
  const seed = seedOf('processes come and go');
  const random = seededRandom(seed);
  const turns = perTier({ usual: 4, all: 14 }, 'CRASH_ROUNDS');
  t.diagnostic(`${turns} turns, seed ${seed}`);
  const world = await openWorldFromSnapshot(t, { env: { RELAYERS: `${RELAYERS}` } });
  const seats = new Map<number, ServiceProcess>();
  const join = async (seat: number, env: Record<string, string> = {}) => {
    seats.set(seat, await world.startReady({ seat, env }));
  };
  for (const seat of [0, 1, 2]) await join(seat);
  const origins: string[] = [];
  // The client picks from this list at each call, as a proxy does that has not noticed yet.
  const route = () => origins.splice(0, origins.length, ...[...seats.values()].map(({ origin }) => origin));
  route();
  const { client } = await seedGames(world, origins[0]!, random);
  const audit = openCrashAudit(world, client);

  await t.test('under load, every acknowledged payment is on the chain exactly once', async () => {
    const ending = new AbortController();
    const watching = audit.watch(ending.signal);
    const running = client.run(origins, ending.signal, 8);
    const done = { joined: 0, stopped: 0, killed: 0 };
    for (let turn = 0; turn < turns; turn++) {
      await Promise.race([delay(random.between(100, 900)), watching, running]);
      const free = Array.from({ length: MOST_SEATS }, (_, seat) => seat).filter((seat) => !seats.has(seat));
      const dice = random.between(1, 3);
      if (free.length > 0 && (dice === 1 || seats.size < 3)) {
        await join(random.pick(free));
        done.joined++;
      } else {
        const [seat, victim] = random.pick([...seats]);
        seats.delete(seat);
        // Calls that are sent there meanwhile get no answer, and are repeated elsewhere.
        if (dice === 2) await victim.stop();
        else await victim.kill();
        if (dice === 2) assert.deepEqual(await victim.exited, { code: 0, signal: null }, victim.output());
        done[dice === 2 ? 'stopped' : 'killed']++;
      }
      route();
      await audit.readChain();
    }
    ending.abort();
    await Promise.all([watching, running]);
    t.diagnostic(JSON.stringify(done));
    await client.retry(origins[0]!);
    await world.settled();
    const figures = await audit.check(origins[0]!);
    t.diagnostic(JSON.stringify(figures));
    assert.equal(figures.onChain, figures.accepted);
    assert.ok(figures.accepted > turns, 'there was load');
    for (const origin of origins) await audit.check(origin);
  });

  await t.test('in the end the living processes hold every relayer, in equal shares', async () => {
    const { db } = await world.operator();
    await until('the dead are forgotten', async () => (await listProcesses(db)).length === seats.size);
    const isEven = (held: readonly number[]) =>
      held.length === seats.size && Math.max(...held) - Math.min(...held) <= 1;
    let held: number[] = [];
    await until(
      'the shares are equal',
      async () => {
        held = await heldRelayers(world);
        return held.reduce((sum, count) => sum + count, 0) === RELAYERS && isEven(held);
      },
      () => held.join(),
    );
  });

  await t.test('a credential has one rate limit over all processes, old and new', async () => {
    const limited = { RATE_LIMIT_PER_SECOND: `${RATE_LIMIT}` };
    for (const [seat, service] of seats) {
      await service.stop();
      await join(seat, limited);
    }
    route();
    const { db } = await world.operator();
    await until('all know each other', async () => (await listProcesses(db)).length === seats.size);
    const [app] = client.calls.map((call) => call.app);
    const ask = async (origin: string) =>
      (
        await fetch(`${origin}/v1/accounts/${app!.address}/balance`, {
          headers: { authorization: `Bearer ${app!.serverKey}` },
        })
      ).status;
    // Each process learns of the others within a second or so, and its bucket is then refilled at its share.
    await until('together they let through what one process would', async () => {
      await delay(1_500);
      const began = performance.now();
      const answers = await Promise.all(Array.from({ length: RATE_LIMIT }, () => origins.map(ask)).flat());
      const seconds = (performance.now() - began) / 1000;
      assert.ok(answers.every((status) => status === 200 || status === 429));
      const passed = answers.filter((status) => status === 200).length;
      assert.ok(passed >= RATE_LIMIT / 4, `${passed} of ${answers.length} passed`);
      return passed <= RATE_LIMIT * (seconds + 1);
    });
  });
});
