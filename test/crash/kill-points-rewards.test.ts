import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NewGuest } from '../../src/features/guests/create-guest.ts';
import { createGuest } from '../../src/features/guests/create-guest.ts';
import { createRequest } from '../../src/features/requests/create-request.ts';
import { notInTurn } from '../kit/run/turns.ts';
import { assertLedgerIsChain } from '../kit/service/audit.ts';
import { commit, crashCases, inTransaction } from '../kit/service/crash-points.ts';
import type { KillPoint } from '../kit/service/crash-service.ts';
import { provokeDeath } from '../kit/service/crash-stage.ts';
import { openWorldFromSnapshot } from '../kit/service/crash-world.ts';
import { makeFull } from '../kit/service/full-user.ts';
import { legsOf } from '../kit/service/player.ts';
import { asApp, asUser } from '../kit/unit/callers.ts';
import { until } from '../kit/unit/until.ts';

// A kill inside either transaction leaves the same state as one before its COMMIT.
const DECIDING = crashCases<KillPoint>(
  { 'after COMMIT': commit('after', 'INSERT INTO reward_claims') },
  {
    'before COMMIT': commit('before', 'INSERT INTO reward_claims'),
    'after the claims are stored': inTransaction('after', 'INSERT INTO reward_claims'),
    'after the rewards are changed': inTransaction('after', 'UPDATE rewards SET claimed'),
  },
);
const GRANTING = crashCases<KillPoint>(
  { 'before COMMIT': commit('before', 'INSERT INTO rewards') },
  {
    'after COMMIT': commit('after', 'INSERT INTO rewards'),
    'after the earned spends are taken': inTransaction('after', 'DELETE FROM earned_rewards'),
    'after the rewards are stored': inTransaction('after', 'INSERT INTO rewards'),
  },
);

test('kill -9 while rewards are granted and claimed: each is granted once and spent once', {
  skip: notInTurn(4, 'kills of rewards'),
}, async (t) => {
  const env = { REWARD_SHARE_PERCENT: '10', WELCOME_REWARD: '0' };
  const world = await openWorldFromSnapshot(t, { env });
  let service = await world.startReady();
  await world.settled();
  const operator = await world.operator();
  const app = await world.createApp();
  const guest = await createGuest(operator, asApp(app.id));
  await makeFull(operator, guest.userId);
  await world.issue(guest.userId, 100_000);
  await world.settled();

  const rewards = async () => {
    const rows = await operator.db.query<{ source: string; key: string; amount: bigint; claimed: bigint }>(
      'SELECT source, key, amount, claimed FROM rewards',
    );
    return rows.map((row) => ({ ...row, amount: Number(row.amount), claimed: Number(row.claimed) }));
  };
  const unclaimed = async () => (await rewards()).reduce((sum, { amount, claimed }) => sum + amount - claimed, 0);
  const ask = async (tokens: number) => {
    const caller = asUser(guest.userId, app.id);
    return (await createRequest(operator, caller, { tokens, appId: app.id })).id;
  };
  const isQuiet = async () => {
    const [open] = await operator.db.query('SELECT FROM earned_rewards');
    return !open;
  };

  for (const [name, point] of Object.entries(DECIDING)) {
    await t.test(`claiming a reward, ${name}`, async () => {
      await world.command(['rewards', 'grant', guest.userId, '70', '--key', name]);
      const before = await unclaimed();
      const id = await ask(100);
      // The service that healed the last kill.
      const doomed = service;
      await doomed.arm(point);
      await provokeDeath(doomed, point, () => approve(doomed.origin, guest, id));
      await world.leasesRunOut();
      service = await world.startReady();
      // If it was decided before the kill, the page sends a full user on to the game.
      assert.ok([200, 303].includes((await approve(service.origin, guest, id)).status), 'approved, or approved again');
      await world.settled();
      const legs = await legsOf({ service: operator }, id);
      assert.deepEqual(
        legs.map(({ kind, amount, status }) => [kind, Number(amount), status]),
        [
          ['user', 100 - before, 'completed'],
          ['treasury', before, 'completed'],
        ],
      );
      await until('earned rewards are granted', isQuiet);
      assert.deepEqual(
        (await rewards()).filter(({ key }) => key === id).map(({ source, amount }) => [source, amount]),
        [['share', Math.floor((100 - before) / 10)]],
      );
      await assertLedgerIsChain(operator);
    });
  }

  for (const [name, point] of Object.entries(GRANTING)) {
    await t.test(`granting an earned reward, ${name}`, async () => {
      const id = await ask(1000);
      const before = await unclaimed();
      // The service that healed the last kill.
      const doomed = service;
      await doomed.arm(point);
      await provokeDeath(doomed, point, async (process) => {
        assert.equal((await approve(process.origin, guest, id)).status, 303);
        await process.exited;
      });
      await world.leasesRunOut();
      service = await world.startReady();
      await world.settled();
      await until('earned rewards are granted', isQuiet);
      const share = Math.floor((1000 - before) / 10);
      assert.deepEqual(
        (await rewards()).filter(({ key }) => key === id).map(({ amount }) => amount),
        [share],
      );
      assert.equal(await unclaimed(), share);
      await assertLedgerIsChain(operator);
    });
  }
});

/** Opens the page and approves, as the player's browser does. */
async function approve(origin: string, { pageToken }: NewGuest, id: string): Promise<Response> {
  const page = await fetch(`${origin}/requests/${id}?firebase_token=${pageToken}`, { redirect: 'manual' });
  const token = /name="page_token" value="([^"]+)"/.exec(await page.text())?.[1];
  // It is decided already, so the page sends the player on at once.
  if (!token) return page;
  const body = new URLSearchParams({ page_token: token, decision: 'approve' });
  return fetch(`${origin}/requests/${id}/decision`, { method: 'POST', body, redirect: 'manual' });
}
