import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AppId, RequestId } from '../../src/base/ids.ts';
import { Problem } from '../../src/base/problems.ts';
import { deleteApp } from '../../src/features/apps/delete-app.ts';
import { giveGuestTokens } from '../../src/features/guests/create-guest.ts';
import { issueKey } from '../../src/features/keys/keys.ts';
import { createRequest } from '../../src/features/requests/create-request.ts';
import { USUAL_KEY } from '../../src/identity/app-keys.ts';
import { grantConsent } from '../../src/identity/consents.ts';
import { adapterOn } from '../../src/oauth/adapter.ts';
import { lookUpRequest } from '../../src/requests/requests.ts';
import { OPERATOR } from '../../src/service/managers.ts';
import { assertLedgerIsChain } from '../kit/service/audit.ts';
import { lockWaitersAre } from '../kit/service/lock-waiters.ts';
import { newPayment } from '../kit/service/payment.ts';
import { createPerson } from '../kit/service/people.ts';
import { startTestService } from '../kit/service/service.ts';
import { asApp, asUser } from '../kit/unit/callers.ts';
import { type Lock, locking } from './by-the-order.ts';

test('deleting an app ends what is made for it at the same time', async (t) => {
  const s = await startTestService(t);
  const { service } = s;
  const { db } = service;
  const statusOf = async (id: RequestId) => (await lookUpRequest(db, id))?.status;

  /** While somebody else holds the rows, each act begins when the one before waits. Resolves with what became of them. */
  const whileHeld = async (rows: readonly Lock[], acts: readonly (() => Promise<unknown>)[]) => {
    const running: Promise<unknown>[] = [];
    await db.transaction(async (tx) => {
      for (const row of rows) await tx.query(...row);
      for (const act of acts) {
        running.push(act().catch((error: unknown) => error));
        await lockWaitersAre(service, running.length);
      }
    });
    return (await Promise.all(running)).map((result) => {
      if (result instanceof Problem) return result.code;
      if (result instanceof Error) throw result;
      return 'done';
    });
  };
  const assertNothingLives = async (id: AppId) => {
    const lives = await db.query(
      `SELECT 'key' AS what FROM app_keys WHERE app_id = $1 AND revoked_at IS NULL
       UNION ALL SELECT 'guest token' FROM guest_tokens WHERE app_id = $1 AND revoked_at IS NULL
       UNION ALL SELECT 'mandate' FROM mandates WHERE app_id = $1 AND revoked_at IS NULL
       UNION ALL SELECT 'request' FROM pending_requests WHERE app_id = $1`,
      [id],
    );
    assert.deepEqual(lives, []);
  };

  await t.test('what was under way comes first, and is ended', async () => {
    const app = await s.createApp({ autoApprove: true });
    const payment = await newPayment(s, app);
    const { guest } = payment;
    await s.issue(guest.userId, 100);
    const token = await payment.formToken();
    let asked: RequestId | undefined;
    const held = [
      locking('users', 'id', guest.userId),
      locking('accounts', 'user_id', guest.userId),
      locking('guest_counts', 'app_id', app.id),
    ];
    const outcomes = await whileHeld(held, [
      () => s.createGuest(app),
      async () => {
        asked = (await createRequest(service, asUser(guest.userId, app.id), { tokens: 1, appId: app.id })).id;
      },
      () => giveGuestTokens(service, asApp(app.id), guest.userId),
      () => payment.decide({ page_token: token, decision: 'approve', mandate: 'on' }),
      () => deleteApp(service, OPERATOR, app.id),
    ]);
    assert.deepEqual(outcomes, ['done', 'done', 'done', 'done', 'done']);
    await assertNothingLives(app.id);
    assert.equal(await statusOf(asked!), 'cancelled');
    await s.settled();
    assert.equal(await statusOf(payment.id), 'completed');
  });

  await t.test('what comes while it is being deleted waits, and is refused', async () => {
    const app = await s.createApp();
    const { id, guest } = await newPayment(s, app);
    const outcomes = await whileHeld(
      [locking('requests', 'id', id)],
      [
        () => deleteApp(service, OPERATOR, app.id),
        () => s.createGuest(app),
        () => createRequest(service, asUser(guest.userId, app.id), { tokens: 1, appId: app.id }),
        () => giveGuestTokens(service, asApp(app.id), guest.userId),
        () => issueKey(service, OPERATOR, app.id, USUAL_KEY),
        () => deleteApp(service, OPERATOR, app.id),
      ],
    );
    assert.deepEqual(outcomes, ['done', 'token-invalid', 'token-invalid', 'not-found', 'not-found', 'not-found']);
    await assertNothingLives(app.id);
    assert.equal(await statusOf(id), 'cancelled');
  });

  await t.test(
    'a token that is just being stored ends with the app, and its call never fails by a deadlock',
    async () => {
      const app = await s.createApp();
      const { userId } = await createPerson(s);
      await grantConsent(db, { userId, appId: app.id, scopes: ['wallet'] });
      const grant = { accountId: userId, clientId: app.id };
      const recordsOf = adapterOn(db, async () => undefined, 10);
      await recordsOf('Grant').upsert('a grant', { kind: 'Grant', ...grant }, 60);
      const token = { kind: 'AccessToken', grantId: 'a grant', ...grant };
      // It may also be stored before the app is deleted, which then ends it.
      const store = async () => {
        const failure = await Promise.resolve(recordsOf('AccessToken').upsert('a token', token, 60)).then(
          () => null,
          (error: unknown) => error,
        );
        if (failure) assert.equal((failure as { error?: string }).error, 'invalid_grant', String(failure));
      };
      const outcomes = await whileHeld(
        [locking('consents', 'app_id', app.id)],
        [() => deleteApp(service, OPERATOR, app.id), store],
      );
      assert.deepEqual(outcomes, ['done', 'done']);
      assert.deepEqual(await db.query('SELECT model FROM oauth_records WHERE client_id = $1', [app.id]), []);
    },
  );

  await assertLedgerIsChain(service);
});
