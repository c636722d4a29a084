import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../local/postgres/postgres.ts';
import { migrate } from '../../src/db/migrate.ts';
import { openCrashAudit } from '../kit/service/crash-audit.ts';
import { openGate } from '../kit/service/crash-gate.ts';
import { crashCases } from '../kit/service/crash-points.ts';
import { seedGames } from '../kit/service/crash-seeding.ts';
import { openWorld } from '../kit/service/crash-world.ts';
import { atEnd } from '../kit/unit/at-end.ts';
import { seededRandom } from '../kit/unit/crash-random.ts';
import { until } from '../kit/unit/until.ts';

const REFUSING_MS = 10_000;

test('a database that restarts, fails over or refuses connections costs latency, not transfers', async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'quarters-test-'));
  chmodSync(dataDir, 0o755);
  atEnd(t, () => rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 }));
  let postgres: EmbeddedPostgres = await startEmbeddedPostgres({ dataDir, fast: true });
  atEnd(t, () => postgres.stop());
  const gate = await openGate(Number(new URL(postgres.url).port));
  atEnd(t, () => gate.close());
  const databaseUrl = Object.assign(new URL(postgres.url), { port: `${gate.port}` }).href;
  await migrate(databaseUrl);

  const world = await openWorld(databaseUrl, { env: { RELAYERS: '2' } });
  atEnd(t, () => world.close());
  const service = await world.startReady();
  const { client } = await seedGames(world, service.origin, seededRandom(4));
  const audit = openCrashAudit(world, client);

  /** Load, the fault during it, and more load; then everything is compared. */
  const through = async (fault: () => Promise<unknown>) => {
    const ending = new AbortController();
    const running = client.run([service.origin], ending.signal);
    const more = async (what: string) => {
      const before = client.calls.length;
      await until(what, () => client.calls.length > before + 10);
    };
    await more('the load begins');
    await fault();
    await more('the load goes on');
    ending.abort();
    await running;
    const back = performance.now();
    await client.retry(service.origin);
    const answered = performance.now() - back;
    await world.settled();
    const settled = performance.now() - back;
    t.diagnostic(`all answered after ${answered.toFixed(0)} ms, settled after ${settled.toFixed(0)} ms`);
    await audit.check(service.origin);
  };
  const pid = async () => {
    const { db } = await world.operator();
    const [row] = await db.query<{ pid: string }>(
      `SELECT split_part(pg_read_file('postmaster.pid'), E'\\n', 1) AS pid`,
    );
    return Number(row!.pid);
  };

  const restart = async () => {
    postgres = await startEmbeddedPostgres({ dataDir, fast: true });
    gate.leadTo(Number(new URL(postgres.url).port));
  };
  const outages = crashCases<() => Promise<void>>(
    {
      'the server is killed with SIGKILL and started again': async () => {
        process.kill(await pid(), 'SIGKILL');
        await postgres.exited;
        await restart();
      },
    },
    {
      'the server is stopped cleanly and started again': async () => {
        await postgres.stop();
        await restart();
      },
      'connections are refused for 10 s': async () => {
        gate.shut(true);
        // Long enough for all retries to reach their longest pause.
        await new Promise((resolve) => setTimeout(resolve, REFUSING_MS));
        gate.shut(false);
        const back = performance.now();
        await until('the service pays again', async () => {
          return (await client.one(service.origin, 'pay')).answer?.outcome === 'paid';
        });
        t.diagnostic(`paid again after ${(performance.now() - back).toFixed(0)} ms`);
      },
    },
  );
  for (const [name, outage] of Object.entries(outages)) await t.test(name, () => through(outage));

  const moments = crashCases(
    { 'at any COMMIT, before the server receives it': 'COMMIT\0' },
    {
      'while accepting, before the transfers are stored': 'INSERT INTO transfers',
      'while following, before the postings are stored': 'INSERT INTO postings',
      'while recording transactions as sent': 'INSERT INTO broadcasts',
    },
  );
  for (const [moment, text] of Object.entries(moments)) {
    await t.test(`connections are cut: ${moment}`, async () => {
      const before = gate.cuts;
      await through(async () => {
        // Statements are prepared once per connection, so only a new connection sends their text.
        gate.leadTo(Number(new URL(postgres.url).port));
        gate.cutAt(text);
        await until('the connection is cut', () => gate.cuts > before);
      });
      assert.equal(gate.cuts, before + 1);
    });
  }
});
