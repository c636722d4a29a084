import assert from 'node:assert/strict';
import { test } from 'node:test';
import { notInTurn } from '../kit/run/turns.ts';
import { openCrashAudit } from '../kit/service/crash-audit.ts';
import { alone, broadcast, commit, crashCases, inTransaction } from '../kit/service/crash-points.ts';
import { seedGames } from '../kit/service/crash-seeding.ts';
import type { KillPoint } from '../kit/service/crash-service.ts';
import { provokeDeath } from '../kit/service/crash-stage.ts';
import { openWorld } from '../kit/service/crash-world.ts';
import { createDatabase } from '../kit/service/database.ts';
import { onServer } from '../kit/service/postgres.ts';
import { atEnd } from '../kit/unit/at-end.ts';
import { seededRandom } from '../kit/unit/crash-random.ts';

const DEPLOYED = 'after the node got the contracts';

/** In the order of a start: each start gets one point further than the one before it, on the state that one left. */
const POINTS: Record<string, KillPoint> = {
  'after the tables are created, before COMMIT': inTransaction('after', 'CREATE TABLE apps'),
  'after the schema is committed': commit('after', 'CREATE TABLE apps'),
  'before the data key is committed': commit('before', 'INSERT INTO data_keys'),
  'after the data key is committed': commit('after', 'INSERT INTO data_keys'),
  'before keys and deployment are committed': commit('before', 'INSERT INTO chain '),
  'after keys and deployment are committed': commit('after', 'INSERT INTO chain '),
  'before the node gets the contracts': broadcast('before'),
  [DEPLOYED]: broadcast('after'),
  'after the contracts are recorded as sent': alone('after', 'INSERT INTO broadcasts'),
  'before the page key is stored': alone('before', 'INSERT INTO signing_keys'),
  'after the page key is stored': alone('after', 'INSERT INTO signing_keys'),
  'after the first block is followed': commit('after', 'INSERT INTO blocks'),
};
const CHOSEN = crashCases<KillPoint>({ [DEPLOYED]: POINTS[DEPLOYED]! }, POINTS);

test('repeated kill -9 at the first start: the start that succeeds deploys one token and pays', {
  skip: notInTurn(4, 'kills of a first start'),
}, async (t) => {
  const databaseUrl = await createDatabase(t);
  // There is no schema either: the first start creates it.
  await onServer(databaseUrl, 'DROP SCHEMA public CASCADE');
  await onServer(databaseUrl, 'CREATE SCHEMA public');
  const world = await openWorld(databaseUrl);
  atEnd(t, () => world.close());

  // If contracts were mined at once, a start would not send them again, nor record them as sent.
  await world.mine(false);
  for (const [name, point] of Object.entries(POINTS).filter(([name]) => name in CHOSEN)) {
    await t.test(name, async () => {
      if (name === 'before the page key is stored') await world.mine(true);
      const doomed = await world.start({ killPoint: point });
      await provokeDeath(doomed, point, async (service) => service.exited);
    });
  }
  await world.mine(true);

  const healed = await world.startReady();
  const { client } = await seedGames(world, healed.origin, seededRandom(1));
  for (const kind of ['pay', 'approve', 'decline', 'auto'] as const) await client.one(healed.origin, kind);
  await client.retry(healed.origin);
  await world.settled();
  await openCrashAudit(world, client).check(healed.origin);
  const { db } = await world.operator();
  assert.equal((await db.query('SELECT FROM data_keys')).length, 1);
});
