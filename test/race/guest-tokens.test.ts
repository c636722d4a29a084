import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { hashSecret } from '../../src/base/secrets.ts';
import { approveOrDecline } from '../../src/features/approvals/approve-or-decline.ts';
import { issueFormToken } from '../../src/features/approvals/page-access.ts';
import { type ConversionResult, convertGuest } from '../../src/features/guests/convert-guest.ts';
import type { NewGuest } from '../../src/features/guests/create-guest.ts';
import { giveGuestTokens } from '../../src/features/guests/create-guest.ts';
import { createRequest } from '../../src/features/requests/create-request.ts';
import { lockRequests } from '../../src/requests/lock-requests.ts';
import { lockWaiters, lockWaitersAre } from '../kit/service/lock-waiters.ts';
import type { TestApp, TestService } from '../kit/service/service.ts';
import { sharedService } from '../kit/service/shared-service.ts';
import { asApp, asUser } from '../kit/unit/callers.ts';
import { until } from '../kit/unit/until.ts';

const GIVEN_AT_ONCE = 5;

function converting({ service }: TestService, app: TestApp, guest: NewGuest): Promise<ConversionResult> {
  return convertGuest(service, {
    appId: app.id,
    userId: guest.userId,
    tokenHash: hashSecret(guest.accessToken),
    email: `${randomUUID()}@mail.example`,
    displayName: 'Ada',
    password: 'a long enough password',
    flowId: randomUUID(),
    redirectUri: 'https://game.example/back',
    codeChallenge: undefined,
    signIn: null,
    client: 'here',
  });
}

test('a token issued to a guest during its conversion does not outlive it', async (t) => {
  const s = await sharedService(t);
  const { db } = s.service;
  const app = await s.createApp({ redirectUris: ['https://game.example/back'] });
  const guest = await s.createGuest(app);
  const give = () => giveGuestTokens(s.service, asApp(app.id), guest.userId);

  // All wait for the guest's row, some before the conversion and some after it, and are released together.
  const [before, conversion, behind] = await db.transaction(async (tx) => {
    await tx.query('SELECT FROM users WHERE id = $1 FOR UPDATE', [guest.userId]);
    const first = Array.from({ length: GIVEN_AT_ONCE }, give);
    await lockWaitersAre(s.service, GIVEN_AT_ONCE);
    const conversion = converting(s, app, guest);
    await lockWaitersAre(s.service, GIVEN_AT_ONCE + 1);
    const last = Array.from({ length: GIVEN_AT_ONCE }, give);
    await lockWaitersAre(s.service, 2 * GIVEN_AT_ONCE + 1);
    return [Promise.allSettled(first), Promise.allSettled([conversion]), Promise.allSettled(last)];
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

test('nothing that a guest allows during its conversion outlives it', async (t) => {
  const s = await sharedService(t);
  const { db } = s.service;
  const app = await s.createApp({ redirectUris: ['https://game.example/back'], autoApprove: true });
  const asked = async () => {
    const guest = await s.createGuest(app);
    await s.issue(guest.userId, 10);
    const { id } = await createRequest(s.service, asUser(guest.userId, app.id), { tokens: 10, appId: app.id });
    const formToken = issueFormToken(s.service, id, guest.pageToken);
    const choice = { requestId: id, formToken, session: null, decision: 'approve', nextTime: 'allow' } as const;
    return { guest, id, approve: () => approveOrDecline(s.service, choice) };
  };
  const livingApprovals = (guest: NewGuest) =>
    db.query('SELECT FROM mandates WHERE user_id = $1 AND revoked_at IS NULL', [guest.userId]);

  await t.test('decided before the conversion', async () => {
    const { guest, id, approve } = await asked();
    const both = await db.transaction(async (tx) => {
      await lockRequests(tx, [id]);
      const approval = approve();
      await lockWaitersAre(s.service, 1);
      let over = false;
      const conversion = converting(s, app, guest).finally(() => {
        over = true;
      });
      await until('the conversion waits for it, or does not', async () => over || (await lockWaiters(s.service)) === 2);
      return [approval, conversion];
    });
    assert.deepEqual(
      (await Promise.all(both)).map(({ kind }) => kind),
      ['approved', 'converted'],
    );
    assert.equal((await livingApprovals(guest)).length, 0);
  });

  await t.test('decided after the conversion', async () => {
    const { guest, id, approve } = await asked();
    const [conversion, approval] = await db.transaction(async (tx) => {
      await tx.query('SELECT FROM users WHERE id = $1 FOR UPDATE', [guest.userId]);
      const first = converting(s, app, guest);
      await lockWaitersAre(s.service, 1);
      const behind = Promise.allSettled([approve()]);
      await lockWaitersAre(s.service, 2);
      return [first, behind];
    });
    assert.equal((await conversion).kind, 'converted');
    const [refused] = await approval;
    assert.equal(refused.status === 'rejected' && refused.reason.code, 'not-found');
    assert.equal((await livingApprovals(guest)).length, 0);
    assert.deepEqual(await db.query('SELECT status FROM requests WHERE id = $1', [id]), [{ status: 'pending' }]);
  });
});
