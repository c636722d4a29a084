import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asQuarters } from '../../src/base/quarters.ts';
import { approveOrDecline, type PageDecision } from '../../src/features/approvals/approve-or-decline.ts';
import { openApproval } from '../../src/features/approvals/open-approval.ts';
import type { NewGuest } from '../../src/features/guests/create-guest.ts';
import { assertInvalid, assertNothingMoves, assertProblem, call } from '../kit/service/call.ts';
import { grantMandate } from '../kit/service/grant-mandate.ts';
import { disableAutoApproval, enableAutoApproval } from '../kit/service/operator-acts.ts';
import { startTestService } from '../kit/service/service.ts';
import { letRequestExpire } from '../rows/requests.ts';

test('creating and auto-approving requests', async (t) => {
  const { app, createApp, createGuest, issue, service, settled } = await startTestService(t, {
    env: { AUTO_APPROVE_PER_TRANSFER: '80', AUTO_APPROVE_PER_DAY: '100' },
  });
  const enabled = await createApp({ autoApprove: true });
  const disabled = await createApp();
  const guest = await createGuest(enabled);
  const other = await createGuest(enabled);
  const elsewhere = await createGuest(disabled);
  await issue(guest.address, 1000);
  await issue(elsewhere.address, 100);

  const ask = async (tokens = 10, by: NewGuest = guest, appId: string = enabled.id): Promise<string> => {
    const answer = await call(app, 'POST /v1/requests', { token: by.accessToken, body: { tokens, appId } });
    assert.equal(answer.statusCode, 201, answer.body);
    return answer.json().id;
  };
  const autoApprove = (id: string, changes: object = {}, by: NewGuest = guest, clientId: string = enabled.id) =>
    call(app, `POST /v1/requests/${id}/autoApprove`, {
      token: by.accessToken,
      body: { clientId, userId: by.userId, address: by.address, ...changes },
    });
  const onPage = async (id: string, decision: 'approve' | 'decline', nextTime: PageDecision['nextTime'] = null) => {
    const requestId = id as Parameters<typeof openApproval>[1];
    const { formToken } = await openApproval(service, requestId, guest.pageToken);
    return approveOrDecline(service, { requestId, formToken, session: null, decision, nextTime });
  };
  const read = async (id: string) => (await call(app, `GET /v1/requests/${id}`, { token: guest.accessToken })).json();

  await t.test('unknown and foreign ids are refused', async () => {
    const foreign = await ask();
    const unknown = ['00000000-0000-7000-8000-000000000000', 'x', foreign.slice(1), `${foreign}0`, '%00', '%20', "'"];
    await assertNothingMoves(service, async () => {
      for (const id of unknown) {
        assertProblem(await call(app, `GET /v1/requests/${id}`, { token: guest.accessToken }), 404, 'not-found');
        assertProblem(await autoApprove(id), 404, 'not-found');
      }
      assertProblem(await autoApprove(foreign, {}, other), 404, 'not-found');
      assertProblem(await call(app, `GET /v1/requests/${foreign}`, { token: other.accessToken }), 404, 'not-found');
      assertProblem(await call(app, `GET /v1/requests/${foreign}`, { token: disabled.serverKey }), 404, 'not-found');
    });
  });

  await t.test('every refusal has its own code, and the request stays pending', async () => {
    const id = await ask();
    const ofDisabled = await ask(10, elsewhere, disabled.id);
    await assertNothingMoves(service, async () => {
      assertProblem(await autoApprove(id), 403, 'auto-approve-not-granted');
      assertProblem(await autoApprove(ofDisabled, {}, elsewhere, disabled.id), 403, 'auto-approve-not-enabled');
      assertProblem(await autoApprove(id, { clientId: disabled.id }), 403, 'app-mismatch');
      assertInvalid(await autoApprove(id, { userId: other.userId }), '/userId');
      assertInvalid(await autoApprove(id, { address: other.address }), '/address');
      assertInvalid(await autoApprove(id, { address: '0x12' }), '/address');
      assertInvalid(
        await autoApprove(id, { clientId: null, userId: 5, address: undefined }),
        '/clientId',
        '/userId',
        '/address',
      );
      assertInvalid(await autoApprove(id, { address: undefined }), '/address');
    });
    assert.equal((await read(id)).status, 'pending');
  });

  await t.test('an approval on a page that offered nothing creates no mandate', async () => {
    await onPage(await ask(), 'approve');
    assertProblem(await autoApprove(await ask()), 403, 'auto-approve-not-granted');
  });

  await t.test('a mandate lets the app approve up to its limits', async () => {
    await onPage(await ask(), 'approve', 'allow');
    await settled();
    const tooMuch = await ask(81);
    await assertNothingMoves(service, async () => {
      const refusal = await autoApprove(tooMuch);
      assertProblem(refusal, 403, 'auto-approve-limit');
      assert.equal(refusal.json().detail, 'The mandate allows 80 quarters per payment; 81 are needed.');
    });
    assert.equal((await read(tooMuch)).status, 'pending');

    const id = await ask(60);
    const first = await autoApprove(id.toUpperCase());
    assert.equal(first.statusCode, 200, first.body);
    assert.deepEqual(Object.keys(first.json()), ['requestId', 'txId']);
    assert.equal(first.json().requestId, id);
    assert.match(first.json().txId, /^0x[0-9a-f]{64}$/);

    const repeated = await autoApprove(id);
    assert.deepEqual([repeated.statusCode, repeated.json()], [200, first.json()]);
    assert.equal((await read(id)).txId, first.json().txId);

    await settled();
    const state = await read(id);
    assert.equal(state.status, 'completed');
    assert.equal(state.txId, first.json().txId);
    assert.deepEqual((await autoApprove(id)).json(), first.json());

    // An approval stays, whatever the operator changes later.
    await disableAutoApproval(service, enabled.id);
    assert.deepEqual((await autoApprove(id)).json(), first.json());
    await enableAutoApproval(service, enabled.id);

    const beyond = await ask(41);
    await assertNothingMoves(service, async () => {
      assertProblem(await autoApprove(beyond), 403, 'auto-approve-limit');
    });
    assert.equal((await read(beyond)).status, 'pending');
    await settled();
  });

  await t.test('many concurrent approvals pay once', async () => {
    const id = await ask(5);
    const answers = await Promise.all(Array.from({ length: 10 }, () => autoApprove(id)));
    assert.deepEqual([...new Set(answers.map(({ statusCode }) => statusCode))], [200]);
    assert.equal(new Set(answers.map((answer) => answer.json().txId)).size, 1);
    const transfers = await service.db.query('SELECT FROM transfers WHERE request_id = $1', [id]);
    assert.equal(transfers.length, 1);
    await settled();
  });

  await t.test('a declined or expired request cannot be approved', async () => {
    const declined = await ask(5);
    await onPage(declined, 'decline');
    const expired = await ask(5);
    await letRequestExpire(service.db, expired);
    await assertNothingMoves(service, async () => {
      assertProblem(await autoApprove(declined), 409, 'request-decided');
      assertProblem(await autoApprove(expired), 409, 'request-decided');
    });
    const { status, txId, completed } = await read(declined);
    assert.deepEqual({ status, txId, completed }, { status: 'declined', txId: null, completed: null });
    assert.equal((await read(expired)).status, 'expired');
  });

  await t.test('an approval of more than the player has is refused', async () => {
    const most = asQuarters(1_000_000);
    const approval = { userId: guest.userId, appId: enabled.id, maxPerTransfer: most, maxPerDay: most, days: 1 };
    await grantMandate(service.db, approval);
    const id = await ask(5_000);
    await assertNothingMoves(service, async () => {
      assertProblem(await autoApprove(id), 402, 'insufficient-quarters');
    });
    assert.equal((await read(id)).status, 'pending');
  });
});
