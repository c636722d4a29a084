import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { isInHistory, readReleases } from '../../scripts/releases.ts';
import { RELEASE } from '../../src/config/release.ts';
import { listProcesses } from '../../src/membership/processes.ts';
import { seedOf } from '../kit/run/seed.ts';
import { openCrashAudit } from '../kit/service/crash-audit.ts';
import { seedGames } from '../kit/service/crash-seeding.ts';
import type { ServiceProcess } from '../kit/service/crash-service.ts';
import { openWorldFromSnapshot } from '../kit/service/crash-world.ts';
import { atEnd } from '../kit/unit/at-end.ts';
import { seededRandom } from '../kit/unit/crash-random.ts';
import { skipWithout } from '../kit/unit/debian-packages.ts';
import { takeTree } from '../kit/unit/release-tree.ts';
import { startProxy } from './haproxy.ts';
import { makeNextRelease, NEXT_VERSION } from './next-release.ts';
import { setUsualStyles } from './usual-styles.ts';
import { openVisits } from './visits.ts';

const SKIP = skipWithout('haproxy');
/** Some load before, between and after the steps. Nothing depends on how much. */
const LIVES_MS = 1_500;
const ROOT = resolve(import.meta.dirname, '../..');

/** The newest release that this tree may run beside. Until there is one, or without the history, this tree stands for it. */
function releaseBefore(): { readonly version: string; readonly commit: string | null } {
  const release = readReleases(ROOT).findLast(
    ({ commit, compatibility }) =>
      commit !== null && compatibility === RELEASE.compatibility && isInHistory(ROOT, commit),
  );
  return release ?? { version: RELEASE.version, commit: null };
}

test('an upgrade process by process, and back, refuses no call and loses nothing', { skip: SKIP }, async (t) => {
  const proxy = await startProxy(t);
  const before = releaseBefore();
  const earlier = before.commit === null ? ROOT : await takeTree(t, before.commit);
  const next = await makeNextRelease(t);
  const world = await openWorldFromSnapshot(t, {
    env: { RELAYERS: '4', PUBLIC_URL: proxy.origin, TRUST_PROXY: '1', LOG_LEVEL: 'error' },
  });
  const operator = await world.operator();
  await setUsualStyles(operator.db);
  const running = new Map<number, ServiceProcess>();
  const startAt = async (seat: number, tree: string) => {
    const service = await world.startReady({ seat, tree });
    running.set(seat, service);
    await proxy.seat(seat, service.origin);
  };
  await startAt(0, earlier);
  await startAt(1, earlier);
  const { client, apps } = await seedGames(world, proxy.origin, seededRandom(seedOf('rolling')), {
    someWithoutKey: true,
  });
  const audit = openCrashAudit(world, client);
  const visits = await openVisits(operator, proxy.origin, apps[0]!);
  const versions = async () => (await listProcesses(operator.db)).map(({ version }) => version).sort();

  const ending = new AbortController();
  // Also if the test fails.
  atEnd(t, () => ending.abort());
  const working = [client.run([proxy.origin], ending.signal, 6), visits.run(ending.signal), audit.watch(ending.signal)];
  // A fault of the load ends the wait for the steps too.
  const live = () => Promise.race([delay(LIVES_MS), ...working]);
  /** Starts one on a free seat first, and then stops one of the others. */
  const replace = async (from: number, to: number, tree: string) => {
    await startAt(to, tree);
    await live();
    const old = running.get(from)!;
    await old.stop();
    const { code } = await old.exited;
    assert.deepEqual([code, await proxy.isUsed(from)], [0, false], old.output());
    await live();
  };
  await live();
  await replace(0, 2, next);
  assert.deepEqual(await versions(), [before.version, NEXT_VERSION].sort());
  await replace(1, 0, next);
  assert.deepEqual(await versions(), [NEXT_VERSION, NEXT_VERSION]);
  // Back: the earlier release works with the updated tables.
  await replace(2, 1, earlier);
  assert.deepEqual(await versions(), [before.version, NEXT_VERSION].sort());
  ending.abort();
  await Promise.all(working);

  const refused = client.calls.filter(
    ({ answer }) => answer === null || (answer.outcome === 'refused' && answer.status >= 429),
  );
  assert.deepEqual(
    refused.map(({ kind, key, answer }) => ({ kind, key, answer })),
    [],
  );
  assert.deepEqual(visits.faults, []);
  assert.ok(visits.counts.get('a stream of progress')! >= 2, 'streams were opened again');
  await world.settled();
  const figures = await audit.check(proxy.origin);
  t.diagnostic(
    `from ${before.version}: ${JSON.stringify(figures)}; ${[...visits.counts].map(([kind, count]) => `${kind} × ${count}`).join(', ')}`,
  );
});
