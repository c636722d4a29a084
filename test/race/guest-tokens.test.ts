import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { hashSecret } from '../../src/base/secrets.ts';
import { giveGuestTokens } from '../../src/usecases/app/give-guest-tokens.ts';
import { convertGuest } from '../../src/usecases/person/convert-guest.ts';
import { asApp } from '../support/callers.ts';
import { startTestService } from '../support/service.ts';
import { until } from '../support/until.ts';

const GIVEN_AT_ONCE = 5;

test('no token given to a guest at the moment of its conversion outlives it', async (t) => {
  const s = await startTestService(t);
  const { db } = s.service;
  const app = await s.createApp({ redirectUris: ['https://game.example/back'] });
  const guest = await s.createGuest(app);

  const convert = () =>
    convertGuest(s.service, {
      appId: app.id,
      userId: guest.userId,
      tokenHash: hashSecret(guest.accessToken),
      email: 'ada@mail.example',
      displayName: 'Ada',
      password: 'a long enough password',
      flowId: randomUUID(),
      redirectUri: 'https://game.example/back',
      codeChallenge: undefined,
      signIn: null,
      client: 'here',
    });
  const give = () => giveGuestTokens(s.service, asApp(app.id), guest.userId);
  const allWait = (count: number) =>
    until(`${count} wait for the guest`, async () => {
      const waiting = await db.query(
        "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
      );
      return waiting.length === count;
    });

  // All are stopped at the guest's row, some before the conversion and some behind it, and let go together.
  const [before, conversion, behind] = await db.transaction(async (tx) => {
    await tx.query('SELECT FROM users WHERE id = $1 FOR UPDATE', [guest.userId]);
    const first = Array.from({ length: GIVEN_AT_ONCE }, give);
    await allWait(GIVEN_AT_ONCE);
    const converting = convert();
    await allWait(GIVEN_AT_ONCE + 1);
    const last = Array.from({ length: GIVEN_AT_ONCE }, give);
    await allWait(2 * GIVEN_AT_ONCE + 1);
    return [Promise.allSettled(first), Promise.allSettled([converting]), Promise.allSettled(last)];
  });

  const given = [...(await before), ...(await behind)];
  for (const result of given) {
    if (result.status === 'rejected') assert.equal((result.reason as { code?: string }).code, 'not-found');
  }
  assert.deepEqual(
    (await conversion).map((result) => result.status === 'fulfilled' && result.value.kind),
    ['converted'],
  );
  const living = await db.query('SELECT FROM guest_tokens WHERE user_id = $1 AND revoked_at IS NULL', [guest.userId]);
  assert.equal(living.length, 0);
});
