import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import type { TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { isInHistory, readReleases } from '../../../scripts/releases.ts';
import { RELEASE } from '../../../src/config/release.ts';
import { seedOf } from '../run/seed.ts';
import { atEnd } from '../unit/at-end.ts';
import { seededRandom } from '../unit/crash-random.ts';
import { takeTree } from '../unit/release-tree.ts';
import { until } from '../unit/until.ts';
import { openCrashAudit } from './crash-audit.ts';
import { openWorld } from './crash-world.ts';
import { openLoadClient } from './load-client.ts';
import type { TestApp } from './service.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
/** Some load before, between and after the steps. Nothing depends on how much. */
const LIVES_MS = 1_500;
const REPEATED = 200;

/** The newest release with another level. Its packages come from the registry. */
const earlier = readReleases(ROOT).findLast(
  ({ commit, compatibility }) => commit !== null && compatibility !== RELEASE.compatibility,
);
/** For the `skip` of a test. */
export const WITHOUT_HISTORY = !(earlier && isInHistory(ROOT, earlier.commit!)) && 'needs the history';

/**
 * Two processes of the release before, under load, are taken over by two of this tree on the database at `url`, which is empty. Afterwards each
 * call is repeated: all are paid once, with the first answers, and ledger and chain are equal.
 */
export async function upgradeUnderLoad(t: TestContext, url: string): Promise<void> {
  const tree = await takeTree(t, earlier!.commit!, { ownPackages: true });
  const world = await openWorld(url, { env: { RELAYERS: '2', LOG_LEVEL: 'error' } });
  atEnd(t, () => world.close());
  const start = (seat: number) => world.startReady({ seat, tree, isEarlier: true });
  const before = [await start(0), await start(1)] as const;
  const origins = before.map(({ origin }) => origin);
  const command = async (...args: string[]) => {
    const output = await world.command([...args, '--json'], undefined, tree);
    try {
      return JSON.parse(output) as Record<string, string>;
    } catch {
      return assert.fail(output);
    }
  };
  const issue = async (recipient: string, amount: number) => {
    const { to } = await command('issue', recipient, `${amount}`, '--yes');
    world.issued.set(`${to!.toLowerCase()}/${amount}`, 1);
  };
  const client = openLoadClient(seededRandom(seedOf('upgrade')), { someWithoutKey: true });
  for (const name of ['One', 'Another']) {
    const created = await command(
      'apps',
      'create',
      '--name',
      name,
      '--redirect-uri',
      'https://game.test/',
      '--auto-approve',
    );
    const app = { id: created.id, address: created.address, serverKey: created.serverKey } as TestApp;
    await issue(app.id, 1_000_000_000);
    for (const amount of [500, 600, 700]) await issue((await client.newGuest(origins[0]!, app)).address, amount);
  }

  const ending = new AbortController();
  atEnd(t, () => ending.abort());
  const working = client.run(origins, ending.signal, 6);
  const live = () => Promise.race([delay(LIVES_MS), working]);
  await until('payments are accepted', async () => client.accepted > 50);
  const examined = await world.command(['doctor']);
  assert.match(examined, /The tables are older than this version/);
  assert.doesNotMatch(examined, /not the keys of the/);
  assert.match(await world.command(['migrate', '--prepare']), /prepared 0049_named_by_ids/);
  await live();
  const beside = await world.start({ seat: 2 });
  assert.equal(beside.ready, false);
  assert.match(beside.output(), /cannot run beside/);
  // One stops in order, and the other with payments that nobody has been answered.
  await Promise.all([before[0].stop(), before[1].kill()]);
  ending.abort();
  await working;

  const began = performance.now();
  const after = [await world.startReady({ seat: 0 }), await world.startReady({ seat: 1 })] as const;
  t.diagnostic(`ready after ${Math.round(performance.now() - began)} ms`);
  const [{ origin }] = after;
  await client.retry(origin);
  for (const call of client.calls.filter(({ key, answer }) => key && answer?.outcome === 'paid').slice(-REPEATED)) {
    const [again] = await client.repeat(origin, call);
    assert.deepEqual(again, call.answer, `${call.kind} ${call.amount}`);
  }
  const later = new AbortController();
  const going = client.run(
    after.map((one) => one.origin),
    later.signal,
    6,
  );
  await Promise.race([delay(LIVES_MS), going]);
  later.abort();
  await going;
  await client.retry(origin);
  await world.settled();
  t.diagnostic(`from ${earlier!.version}: ${JSON.stringify(await openCrashAudit(world, client).check(origin))}`);

  const back = await world.start({ seat: 2, tree, isEarlier: true });
  assert.equal(back.ready, false);
  assert.match(back.output(), /later release/);
}
