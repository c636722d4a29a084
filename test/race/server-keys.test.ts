import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FastifyInstance } from 'fastify';
import { asQuarters } from '../../src/base/quarters.ts';
import { hashSecret } from '../../src/base/secrets.ts';
import { autoApprove } from '../../src/features/approvals/auto-approve.ts';
import type { NewGuest } from '../../src/features/guests/create-guest.ts';
import { issueKey } from '../../src/features/keys/keys.ts';
import { createRequest } from '../../src/features/requests/create-request.ts';
import { endKey, listKeys } from '../../src/identity/app-keys.ts';
import { grantConsent, revokeConsent } from '../../src/identity/consents.ts';
import { OPERATOR } from '../../src/service/managers.ts';
import { assertLedgerIsChain } from '../kit/service/audit.ts';
import { assertNothingMoves, call } from '../kit/service/call.ts';
import { grantMandate } from '../kit/service/grant-mandate.ts';
import { lockWaitersAre } from '../kit/service/lock-waiters.ts';
import { createPerson } from '../kit/service/people.ts';
import { startSecondService } from '../kit/service/second-service.ts';
import { sharedService } from '../kit/service/shared-service.ts';
import { asApp, asUser } from '../kit/unit/callers.ts';

const MAX_PENDING = 6;

test('requests and approvals of server keys are counted over all processes', async (t) => {
  const s = await sharedService(t);
  const second = await startSecondService(t, s);
  const { service } = s;
  const { db } = service;
  const game = await s.createApp({ autoApprove: true });
  const guests: NewGuest[] = [];
  for (let n = 0; n < 5; n++) guests.push(await s.createGuest(game));

  /**
   * Makes one call for each of `many`, alternating between the two processes; returns how often each status and code
   * came.
   */
  const atOnce = async (many: readonly ((app: FastifyInstance) => ReturnType<typeof call>)[]) => {
    const answers = await Promise.all(many.map((send, n) => send(n % 2 === 0 ? s.app : second.app)));
    const counts: Record<string, number> = {};
    for (const answer of answers) {
      const code = [answer.statusCode, answer.json().code].filter(Boolean).join(' ');
      counts[code] = (counts[code] ?? 0) + 1;
    }
    return counts;
  };
  const asking =
    (token: string, { userId }: NewGuest, headers = {}) =>
    (app: FastifyInstance) =>
      call(app, 'POST /v1/requests', { token, body: { tokens: 10, appId: game.id, userId }, headers });
  const counted = async (key: string) => {
    const [row] = await db.query<{ asked_today: bigint; approved_today: bigint }>(
      'SELECT asked_today, approved_today FROM app_keys WHERE hash = $1',
      [hashSecret(key)],
    );
    return [Number(row!.asked_today), Number(row!.approved_today)];
  };
  /** From now on the only active server key of the game. */
  const newKey = async (askPerDay: number, approvePerDay = 1) => {
    const living = await listKeys(db, game.id, { living: true });
    for (const { id, kind } of living) if (kind === 'server') await endKey(db, game.id, id);
    return issueKey(service, OPERATOR, game.id, {
      ...{ kind: 'server', scopes: ['create-requests', 'approve-requests'], payPerDay: null },
      ...{ askPerDay: asQuarters(askPerDay), approvePerDay: asQuarters(approvePerDay) },
    });
  };

  await t.test('twenty concurrent calls against a cap of seven make exactly seven requests', async () => {
    const key = await newKey(75);
    const calls = Array.from({ length: 20 }, (_, n) => asking(key, guests[n % 5]!));
    assert.deepEqual(await atOnce(calls), { 201: 7, '403 key-limit': 13 });
    assert.deepEqual(await counted(key), [70, 0]);
  });

  await t.test('equal concurrent calls count once', async () => {
    const key = await newKey(10);
    const guest = await s.createGuest(game);
    const calls = Array.from({ length: 10 }, () => asking(key, guest, { 'idempotency-key': 'order 1' }));
    assert.deepEqual(await atOnce(calls), { 201: 10 });
    assert.deepEqual(await counted(key), [10, 0]);
    assert.equal((await db.query('SELECT FROM requests WHERE user_id = $1', [guest.userId])).length, 1);
  });

  await t.test('twenty concurrent calls for one user leave only as many pending requests as allowed', async (t) => {
    for (const each of [service, second.service]) {
      t.mock.property(each, 'settings', { ...each.settings, maxPendingRequests: MAX_PENDING });
    }
    const key = await newKey(1000);
    const guest = await s.createGuest(game);
    // Of each process's calls, two come from the server and two with the guest's own token.
    const calls = Array.from({ length: 20 }, (_, n) => asking(n % 4 < 2 ? key : guest.accessToken, guest));
    assert.deepEqual(await atOnce(calls), { 201: MAX_PENDING, '409 limit-reached': 20 - MAX_PENDING });
    const bySource = await db.query('SELECT FROM requests WHERE user_id = $1', [guest.userId]);
    assert.equal(bySource.length, MAX_PENDING);
  });

  const limits = { maxPerTransfer: asQuarters(10), maxPerDay: asQuarters(1000), days: 1 };
  const payable = async () => {
    const guest = await s.createGuest(game);
    await s.issue(guest.userId, 100);
    await grantMandate(db, { userId: guest.userId, appId: game.id, ...limits });
    const { id } = await createRequest(service, asUser(guest.userId, game.id), { tokens: 10, appId: game.id });
    return { guest, id };
  };

  await t.test('concurrent approvals against a cap of three: exactly three, each counted once', async () => {
    const key = await newKey(1, 35);
    const payments = [await payable(), await payable(), await payable(), await payable(), await payable()];
    const approving =
      ({ id, guest: { userId, address } }: (typeof payments)[0]) =>
      (app: FastifyInstance) =>
        call(app, `POST /v1/requests/${id}/autoApprove`, { token: key, body: { clientId: game.id, userId, address } });
    // Each is sent twice, once per process; the second gets the answer of the first.
    const counts = await atOnce(payments.flatMap((payment) => [approving(payment), approving(payment)]));
    assert.deepEqual(counts, { 200: 6, '403 key-limit': 4 });
    assert.deepEqual(await counted(key), [0, 30]);
    const ids = payments.map(({ id }) => id);
    const approved = await db.query('SELECT FROM transfers WHERE request_id = ANY($1)', [ids]);
    const pending = await db.query(`SELECT FROM requests WHERE id = ANY($1) AND status = 'pending'`, [ids]);
    assert.deepEqual([approved.length, pending.length], [3, 2]);
    await s.settled();
    await assertLedgerIsChain(service);
  });

  await t.test('a key revoked in the meantime creates and approves no more requests', async () => {
    const keyHash = hashSecret(await newKey(1000, 1000));
    const caller = { ...asApp(game.id), keyHash };
    const { guest, id } = await payable();
    const { userId, address } = guest;
    const [key] = (await listKeys(db, game.id, { living: true })).filter(({ kind }) => kind === 'server');
    await assertNothingMoves(service, async () => {
      const calls = await db.transaction(async (tx) => {
        await endKey(tx, game.id, key!.id);
        const started = Promise.allSettled([
          createRequest(service, caller, { tokens: 10, appId: game.id, userId }),
          autoApprove(service, caller, { requestId: id, clientId: game.id, userId, address }),
        ]);
        await lockWaitersAre(service, 2);
        return { started };
      });
      for (const result of await calls.started) {
        assert.equal(result.status === 'rejected' && result.reason.code, 'token-invalid');
      }
    });
  });

  await t.test('a user who has withdrawn gets no more requests', async () => {
    const keyHash = hashSecret(await newKey(1000));
    const { userId } = await createPerson(s);
    await grantConsent(db, { userId, appId: game.id, scopes: ['requests'] });
    await assertNothingMoves(service, async () => {
      const calls = await db.transaction(async (tx) => {
        await revokeConsent(tx, userId, game.id);
        const input = { tokens: 10, appId: game.id, userId };
        const started = Promise.allSettled([createRequest(service, { ...asApp(game.id), keyHash }, input)]);
        await lockWaitersAre(service, 1);
        return { started };
      });
      const [result] = await calls.started;
      assert.equal(result.status === 'rejected' && result.reason.code, 'not-found');
    });
  });
});
