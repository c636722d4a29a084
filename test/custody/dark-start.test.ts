import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { newRequestId } from '../../src/base/ids.ts';
import { auditLedger } from '../../src/diagnostics/audit/audit-ledger.ts';
import { issueFormToken } from '../../src/features/approvals/page-access.ts';
import { createRequest } from '../../src/features/requests/create-request.ts';
import { choresOf } from '../../src/jobs/chore-loops.ts';
import { assertProblem, call } from '../kit/service/call.ts';
import { newPayment, sendForm } from '../kit/service/payment.ts';
import { ranBefore } from '../kit/service/ran-before.ts';
import type { TestService } from '../kit/service/service.ts';
import { asUser } from '../kit/unit/callers.ts';
import { until } from '../kit/unit/until.ts';
import { letRequestExpire } from '../rows/requests.ts';
import { approve, isReady, isSuspended } from './drill.ts';
import { restored } from './restored.ts';

/** A game that has spent nearly all it had, and a player who has paid, since the copy was made. */
async function spentSince(t: TestContext) {
  const before = await ranBefore(t);
  const { game } = before;
  const first = await before.start();
  await isReady(first);
  const guest = await first.createGuest(game);
  await before.pay(first, 50, guest);
  const asked = async (s: TestService) => newPayment(s, game, { tokens: 20, guest });
  const [paid, open] = [await asked(first), await asked(first)];
  await first.settled();
  await first.stop();
  const copy = await before.copyDatabase();
  const later = await before.start();
  await isReady(later);
  await approve(later, { id: paid.id, guest });
  await before.pay(later, 99_900, guest);
  await later.settled();
  await later.stop();
  return { ...before, copy, guest, paid, open };
}

describe('a start before the database is compared with the chain', { concurrency: 3 }, () => {
  test('an older backup put back while the node is away: nothing is accepted or ended before, and a restore finds all', async (t) => {
    const { faulty, start, copy, game, guest, paid, open, accepted } = await spentSince(t);
    faulty.proxy.reachable = false;
    const s = await start(copy);
    const { db } = s.service;
    const token = game.serverKey;
    const payOut = () =>
      call(s.app, `POST /v1/accounts/${game.address}/transfer`, {
        token,
        body: { amount: 90_000, user: guest.userId },
      });
    const decide = (decision: string) =>
      sendForm(s, open.id, { page_token: issueFormToken(s.service, open.id, guest.pageToken), decision });
    const refusals = async () => {
      for (let i = 0; i < 10; i++) assertProblem(await payOut(), 503, 'payments-suspended');
      for (const id of [newRequestId(), open.id]) {
        assertProblem(
          await call(s.app, `POST /v1/requests/${id}/cancel`, { token, body: {} }),
          503,
          'payments-suspended',
        );
      }
      assertProblem(await call(s.app, `GET /v1/requests/${newRequestId()}`, { token }), 503, 'payments-suspended');
      assertProblem(await call(s.app, 'GET /v1/nothing', { token }), 404, 'not-found');
      for (const decision of ['approve', 'decline']) assert.equal((await decide(decision)).status, 503);
      // As after a long absence.
      for (const { id } of [paid, open]) await letRequestExpire(db, id);
      for (const chore of Object.values(await choresOf(s.service))) assert.equal(await chore(), false);
      // Nobody knows yet whether they were paid in time.
      for (const { id } of [paid, open]) {
        assert.equal((await call(s.app, `GET /v1/requests/${id}`, { token })).json().status, 'pending');
      }
      for (const decision of ['approve', 'decline']) assert.equal((await decide(decision)).status, 503);
      const rows = await db.query(`SELECT FROM requests WHERE id IN ($1, $2) AND status = 'pending'`, [
        paid.id,
        open.id,
      ]);
      assert.equal(rows.length, 2);
    };
    assert.equal((await payOut()).headers['retry-after'], '5');
    await refusals();
    assert.equal((await call(s.app, 'GET /readyz')).json().payments, 'not-compared');
    assert.equal((await call(s.app, 'GET /readyz?exclude=chain&exclude=gas')).statusCode, 503);

    faulty.proxy.reachable = true;
    await isSuspended(s);
    await refusals();
    await restored(s);
    await until('payments are accepted', () => !s.service.readiness.suspended);
    const now = async (id: string) => (await call(s.app, `GET /v1/requests/${id}`, { token })).json().status;
    assert.equal(await now(paid.id), 'completed');
    assertProblem(await payOut(), 402, 'insufficient-quarters');
    await until('the other one expires', async () => (await now(open.id)) === 'expired');
    assertProblem(await call(s.app, `GET /v1/requests/${newRequestId()}`, { token }), 404, 'not-found');
    await s.settled();
    const { differences } = await auditLedger(s.service);
    assert.deepEqual(differences, []);
    const rows = await db.query(`SELECT FROM transfers WHERE status <> 'completed'`);
    assert.deepEqual([rows.length, accepted.length > 0], [0, true]);
    assert.deepEqual(await db.query(`SELECT FROM accounts WHERE posted < held AND kind <> 'external'`), []);
  });

  test('after an orderly stop, payments are accepted and requests expire while the node is away', async (t) => {
    const { faulty, start, pay, game, guest } = await ranBefore(t);
    faulty.proxy.reachable = false;
    const s = await start();
    await pay(s, 5);
    const ask = { tokens: 3, appId: game.id };
    const { id } = await createRequest(s.service, asUser(guest.userId, game.id), ask);
    await letRequestExpire(s.service.db, id);
    await until('it expires', async () => {
      const [row] = await s.service.db.query<{ status: string }>('SELECT status FROM requests WHERE id = $1', [id]);
      return row?.status === 'expired';
    });
    await s.stop();
    const again = await start();
    await pay(again, 6);
    faulty.proxy.reachable = true;
    await again.settled();
    assert.equal(again.service.readiness.compared, 'done');
  });
});
