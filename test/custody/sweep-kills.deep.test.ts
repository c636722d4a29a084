import assert from 'node:assert/strict';
import { test } from 'node:test';
import { auditLedger } from '../../src/diagnostics/audit/audit-ledger.ts';
import { alone, broadcast, commit } from '../kit/service/crash-points.ts';
import { seedGames } from '../kit/service/crash-seeding.ts';
import type { KillPoint } from '../kit/service/crash-service.ts';
import { openWorldFromSnapshot } from '../kit/service/crash-world.ts';
import { seededRandom } from '../kit/unit/crash-random.ts';
import { until } from '../kit/unit/until.ts';

/** Of the command, which has changed nothing before its commit and everything after it. */
const OF_COMMAND: readonly KillPoint[] = [
  commit('before', 'UPDATE seed'),
  alone('after', 'count[(][*][)] AS accounts'),
  commit('after', 'UPDATE seed'),
];
/** Of the starts that move the quarters, each of which dies at one of these. */
const OF_MOVES: readonly KillPoint[] = [
  commit('before', 'INTO transfers'),
  commit('after', 'INTO transfers'),
  broadcast('before'),
  broadcast('after'),
  commit('before', 'accounts SET posted'),
  commit('before', 'UPDATE sweeps'),
  commit('after', 'UPDATE sweeps'),
];

test('a sweep is made once, and moves everything once, whenever the command or the service is killed', async (t) => {
  const world = await openWorldFromSnapshot(t);
  const first = await world.startReady();
  await seedGames(world, first.origin, seededRandom(1));
  const { db, rpc, chain } = await world.operator();
  const heldByOwner = () =>
    db.query<{ owner: string; posted: bigint }>(
      `SELECT coalesce(user_id, app_id, kind) AS owner, posted FROM accounts WHERE kind IN ('user', 'app', 'treasury') ORDER BY 1`,
    );
  const hasEnded = async () => (await db.query('SELECT FROM sweeps WHERE finished_at IS NULL')).length === 0;
  const before = await heldByOwner();
  await first.kill();

  for (const point of OF_COMMAND) {
    await world.leasesRunOut();
    assert.doesNotMatch(await world.command(['custody', 'sweep', '--yes', '--json'], point), /rekeyed|error/);
  }
  assert.match(await world.command(['custody', 'sweep', '--yes']), /have not all moved/);
  for (const killPoint of OF_MOVES) {
    await world.leasesRunOut();
    const service = await world.start({ killPoint });
    // What is sent only once may not be sent again. Then this start does the rest.
    await Promise.race([service.exited, until('payments are accepted', hasEnded)]);
    await world.killAll();
  }
  await world.leasesRunOut();
  await world.startReady();
  await until('payments are accepted', hasEnded);
  await world.settled();
  assert.deepEqual(await heldByOwner(), before);
  assert.deepEqual((await auditLedger({ db, rpc, chain })).differences, []);
  const [moves] = await db.query<{ accounts: bigint; moved: bigint }>(
    `SELECT (SELECT count(*) FROM accounts WHERE kind = 'swept' AND merged_at IS NOT NULL AND EXISTS (
               SELECT FROM transfers WHERE from_address = address AND to_address = merged_into)) AS accounts,
            (SELECT count(*) FROM transfers JOIN accounts ON address = from_address WHERE kind = 'swept' AND to_address = merged_into) AS moved`,
  );
  assert.equal(moves!.moved, moves!.accounts, 'each account once');

  // A second time, from where the first has led.
  await world.killAll();
  await world.leasesRunOut();
  assert.match(await world.command(['custody', 'sweep', '--yes', '--json']), /"rekeyed"/);
  await world.startReady();
  await until('payments are accepted', hasEnded);
  await world.settled();
  assert.deepEqual(await heldByOwner(), before);
  assert.deepEqual((await auditLedger({ db, rpc, chain })).differences, []);
  const chained = await db.query(
    `SELECT FROM accounts AS former JOIN accounts ON accounts.address = former.merged_into
      WHERE former.kind = 'swept' AND accounts.kind = 'swept'`,
  );
  assert.equal(chained.length, 0, 'every old address leads to one that is in use');
});
