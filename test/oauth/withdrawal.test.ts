import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { UserId } from '../../src/base/ids.ts';
import { signOutOfGames, withdrawAccess } from '../../src/features/accounts/connected-games.ts';
import { findConsent } from '../../src/identity/consents.ts';
import { storeRecord } from '../../src/oauth/records.ts';
import { insertCode } from '../../src/oauth/tokens.ts';
import type { Service } from '../../src/service/service.ts';
import { lockWaiters } from '../kit/service/lock-waiters.ts';
import { authorizeUrl, refreshing, sharedWorld } from '../kit/service/oauth-world.ts';
import { signIn } from '../kit/service/people.ts';
import { until } from '../kit/unit/until.ts';

test('a game that gets tokens during a withdrawal keeps none', async (t) => {
  const world = await sharedWorld(t);
  const { service } = world;
  const { db } = service;
  const client = await world.createClient();
  const left = (userId: string) =>
    db.query<{ model: string }>('SELECT model FROM oauth_records WHERE user_id = $1 AND client_id = $2', [
      userId,
      client.id,
    ]);
  /** Until `act` waits for a lock of somebody's, or has come to its end without. */
  const heldUp = (act: Promise<unknown>) => {
    let done = false;
    const end = () => {
      done = true;
    };
    act.then(end, end);
    return until('it waits, or has ended', async () => done || (await lockWaiters({ db })) > 0);
  };

  type Withdrawal = (deps: Pick<Service, 'db' | 'security'>, userId: UserId) => Promise<void>;
  const ways: Record<string, Withdrawal> = {
    'one game': (deps, userId) => withdrawAccess(deps, userId, client.id),
    'all games': async (deps, userId) => signOutOfGames(deps, (await signIn(world, userId)).session),
  };

  /** Withdraws; `meanwhile` comes when all is done but not yet committed. */
  async function withdrawing<T>(withdraw: Withdrawal, userId: UserId, meanwhile: () => Promise<T>): Promise<T> {
    let act: Promise<T> | undefined;
    const transaction: typeof db.transaction = (work) =>
      db.transaction(async (tx) => {
        const result = await work(tx);
        act = meanwhile();
        await heldUp(act);
        return result;
      });
    await withdraw({ db: { ...db, transaction }, security: world.service.security }, userId);
    return act!;
  }

  for (const [way, withdraw] of Object.entries(ways)) {
    await t.test(`a token that is being stored, against ${way}`, async () => {
      const userId = await world.createUser();
      await insertCode(db, { userId, appId: client.id, scopes: 'openid' });
      const [grant] = await db.query<{ id: string }>(
        `SELECT grant_id AS id FROM oauth_records WHERE model = 'AuthorizationCode' AND user_id = $1`,
        [userId],
      );
      const token = { accountId: userId, clientId: client.id, grantId: grant!.id };
      const { act } = await db.transaction(async (tx) => {
        assert.ok(await storeRecord(tx, 'AccessToken', 'qo_x', token, new Date(Date.now() + 60_000)));
        const act = withdraw(service, userId);
        await heldUp(act);
        return { act };
      });
      await act;
      assert.deepEqual(await left(userId), []);
    });

    await t.test(`a refresh, against ${way}`, async () => {
      const { userId, refresh_token: token } = await world.tokens(client);
      const { status, body } = await withdrawing(withdraw, userId, () => world.token(refreshing(client, token)));
      assert.deepEqual([status, body.error], [400, 'invalid_grant']);
      assert.deepEqual(await left(userId), []);
    });

    await t.test(`an authorization, against ${way}`, async () => {
      const userId = await world.createUser();
      const browser = await world.browser(userId);
      await world.authorize(browser, client);
      const answer = await withdrawing(withdraw, userId, () => browser.arrive(authorizeUrl(world.origin, client)));
      assert.deepEqual([answer.status, answer.location], [200, undefined], 'it is asked again');
      assert.equal(await findConsent(db, userId, client.id), null);
      assert.deepEqual(await left(userId), []);
    });
  }
});
