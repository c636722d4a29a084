import assert from 'node:assert/strict';
import { once } from 'node:events';
import { get } from 'node:http';
import { test } from 'node:test';
import { notInTurn } from '../kit/run/turns.ts';
import { openCrashAudit } from '../kit/service/crash-audit.ts';
import { seedGames } from '../kit/service/crash-seeding.ts';
import type { ServiceProcess } from '../kit/service/crash-service.ts';
import { openWorldFromSnapshot } from '../kit/service/crash-world.ts';
import { seededRandom } from '../kit/unit/crash-random.ts';
import { alive, descendants, workersOf } from '../kit/unit/processes.ts';
import { until } from '../kit/unit/until.ts';

async function metricsOf({ origin }: ServiceProcess): Promise<{ workers: number; replaced: number; accepted: number }> {
  const text = await (await fetch(`${origin}/metrics`)).text();
  const sum = (name: string) =>
    [...text.matchAll(new RegExp(`^quarters_${name}(?:\\{.*\\})? (\\d+)$`, 'gm'))].reduce(
      (total, [, count]) => total + Number(count),
      0,
    );
  return {
    workers: sum('workers'),
    replaced: sum('workers_replaced_total'),
    accepted: sum('transfers_accepted_total'),
  };
}

test('one command with two workers', { skip: notInTurn(2, 'workers') }, async (t) => {
  const world = await openWorldFromSnapshot(t, { env: { WORKERS: '2', RELAYERS: '2', WINGS: 'workers' } });
  let service = await world.startReady();
  const { client } = await seedGames(world, service.origin, seededRandom(7));
  const audit = openCrashAudit(world, client);
  const paid = () => client.calls.filter(({ answer }) => answer?.outcome === 'paid').length;
  const underLoad = async (disturb: () => Promise<unknown>) => {
    const ending = new AbortController();
    const running = client.run([service.origin], ending.signal, 8);
    const before = paid();
    try {
      await until('there is load', () => paid() >= before + 20);
      await disturb();
    } finally {
      ending.abort();
      await running;
    }
  };
  const settles = async () => {
    await client.retry(service.origin);
    await world.settled();
    return audit.check(service.origin);
  };

  await t.test('/metrics shows the sum of both workers, whichever answers', async () => {
    await underLoad(async () => {});
    await settles();
    // Each connection goes to the next worker. One that is too busy to say its part in time counts as it was before.
    for (const worker of ['one', 'the other']) {
      let [workers, accepted] = [0, 0];
      const isSum = async () => {
        ({ workers, accepted } = await metricsOf(service));
        return workers === 2 && accepted === paid();
      };
      await until(`${worker} shows the sum`, isSum, () => `${workers} workers, ${accepted} of ${paid()} payments`);
    }
  });

  await t.test('a worker that is killed under load is replaced, and no acknowledged payment is lost', async () => {
    const [victim] = workersOf(service);
    const before = (await metricsOf(service)).accepted;
    await underLoad(async () => {
      process.kill(victim!, 'SIGKILL');
      await until('another worker takes its place', async () => {
        const { workers, replaced } = await metricsOf(service).catch(() => ({ workers: 0, replaced: 0 }));
        return workers === 2 && replaced === 1;
      });
    });
    const { accepted, onChain } = await settles();
    assert.equal(onChain, accepted);
    assert.ok((await metricsOf(service)).accepted > before, 'a counter of both never falls');
    let readiness = '';
    const isReady = async () => {
      const answer = await fetch(`${service.origin}/readyz`);
      readiness = await answer.text();
      return answer.ok;
    };
    await until('it is ready', isReady, () => readiness);
  });

  await t.test('a connection that a dying worker was given is closed, so its caller does not wait', async () => {
    const [victim] = workersOf(service);
    const ends: string[] = [];
    process.kill(victim!, 'SIGSTOP');
    // Each on a connection of its own, of which the stopped worker gets one.
    const calls = Array.from({ length: 4 }, async () => {
      const call = get(`${service.origin}/healthz`, { agent: false, timeout: 30_000 });
      call.on('timeout', () => call.destroy(new Error('forgotten')));
      ends.push(
        await once(call, 'response').then(
          ([{ statusCode }]) => String(statusCode),
          ({ message }: Error) => (message === 'forgotten' ? message : 'closed'),
        ),
      );
    });
    await until('the other worker has answered the others', () => ends.length === 3);
    process.kill(victim!, 'SIGKILL');
    await Promise.all(calls);
    assert.deepEqual(ends, ['200', '200', '200', 'closed']);
    await until('another worker takes its place', async () => (await metricsOf(service)).workers === 2);
  });

  await t.test('a second start on the same data folder is refused', async () => {
    const second = await world.start();
    assert.equal(second.ready, false);
    assert.match(second.output(), /is in use by process/);
  });

  await t.test('SIGTERM to all its processes ends the service in order, under load', async () => {
    const family = descendants(service.pid);
    await underLoad(async () => {
      // A service manager signals every process of the service.
      await service.stop();
    });
    assert.deepEqual(await service.exited, { code: 0, signal: null }, service.output());
    assert.deepEqual(alive(family), []);
    assert.doesNotMatch(service.output(), /held open|before everything had stopped/);
    service = await world.startReady();
  });

  await t.test('kill -9 of the supervisor under load leaves no process behind, and the next start heals', async () => {
    const family = descendants(service.pid);
    await underLoad(async () => {
      process.kill(service.pid, 'SIGKILL');
      await service.exited;
      await until('all are gone', () => alive(family).length === 0);
    });
    await world.leasesRunOut();
    service = await world.startReady({ env: { WORKERS: '1' } });
    const { accepted, onChain } = await settles();
    assert.equal(onChain, accepted);
  });

  await t.test('a fault of the start is said once, and ends it', async () => {
    await service.stop();
    const port = new URL(world.evm.url).port;
    const failed = await world.start({ env: { METRICS_PORT: port, METRICS_HOST: '127.0.0.1' } });
    assert.equal(failed.ready, false);
    assert.deepEqual(await failed.exited, { code: 1, signal: null });
    assert.equal(failed.output().match(/is in use: set METRICS_PORT/g)?.length, 1, failed.output());
    assert.deepEqual(alive(descendants(failed.pid)), []);
  });
});
