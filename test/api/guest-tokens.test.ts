import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { GuestTokenPurpose } from '../../src/identity/guest-tokens.ts';
import { assertProblem, call } from '../kit/service/call.ts';
import { sharedService } from '../kit/service/shared-service.ts';
import { ago } from '../rows/times.ts';
import { ageGuestTokens, changeGuestTokens } from '../rows/users.ts';

test("a guest's two tokens are renewed together", async (t) => {
  const { app, createApp, createGuest, service } = await sharedService(t);
  const game = await createApp();
  const age = (userId: string, purpose: GuestTokenPurpose, days: number) =>
    ageGuestTokens(service.db, { userId, purpose }, `${days} days`);
  const isFresh = async (userId: string, purpose: string) => {
    const fresh = await service.db.query(
      "SELECT FROM guest_tokens WHERE user_id = $1 AND purpose = $2 AND last_used_at > now() - interval '1 hour'",
      [userId, purpose],
    );
    return fresh.length === 1;
  };
  const me = (token: string) => call(app, 'GET /v1/me', { token });

  await t.test('using one token of a pair renews the other', async () => {
    const guest = await createGuest(game);
    await age(guest.userId, 'access', 2);
    await age(guest.userId, 'page', 364);
    assert.equal((await me(guest.accessToken)).statusCode, 200);
    assert.ok(await isFresh(guest.userId, 'access'));
    assert.ok(await isFresh(guest.userId, 'page'));
  });

  await t.test('an expired or revoked token is not renewed', async () => {
    const guest = await createGuest(game);
    await age(guest.userId, 'access', 2);
    await age(guest.userId, 'page', 366);
    assert.equal((await me(guest.accessToken)).statusCode, 200);
    assert.equal(await isFresh(guest.userId, 'page'), false);

    await age(guest.userId, 'page', 2);
    await age(guest.userId, 'access', 2);
    await changeGuestTokens(service.db, { userId: guest.userId, purpose: 'page' }, { revokedAt: ago() });
    assert.equal((await me(guest.accessToken)).statusCode, 200);
    assert.equal(await isFresh(guest.userId, 'page'), false);
  });

  await t.test("one guest's use does not renew another guest's tokens", async () => {
    const [guest, other] = [await createGuest(game), await createGuest(game)];
    await age(guest.userId, 'access', 2);
    await age(other.userId, 'access', 366);
    assert.equal((await me(guest.accessToken)).statusCode, 200);
    assertProblem(await me(other.accessToken), 401, 'token-expired');
  });
});
