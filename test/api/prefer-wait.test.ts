import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';
import { preferredSeconds, untilFinal } from '../../src/api/request-headers.ts';
import type { RequestId } from '../../src/base/ids.ts';
import type { Progress } from '../../src/views/requests/watch-requests.ts';
import { assertProblem, call } from '../kit/service/call.ts';
import { startHeldChain } from '../kit/service/held-chain.ts';
import { POSTS } from '../kit/service/posts.ts';
import { startTestService } from '../kit/service/service.ts';
import { until } from '../kit/unit/until.ts';

const NEVER_MS = 2 ** 31 - 1;

test('Prefer: wait=N', async (t) => {
  const chain = await startHeldChain(t);
  const s = await startTestService(t, { chain });
  const game = await s.createApp({ autoApprove: true });
  const send = async (route: string, prefer: string) => {
    const { what, token, body } = await POSTS[route]!(s, game);
    return () => call(s.app, what, { token, body, headers: { prefer, 'idempotency-key': `${route} ${prefer}` } });
  };
  const status = async (requestId: string) =>
    (await call(s.app, `GET /v1/requests/${requestId}`, { token: game.serverKey })).json().status;

  await t.test('Prefer: wait holds each response with a txId until the transfer is confirmed', async () => {
    for (const route of [
      '/v1/accounts/:address/transfer',
      '/v1/requests/:id/autoApprove',
      '/v1/requests/:id/refunds',
    ]) {
      const sent = await send(route, 'respond-async, wait=30');
      const answer = await sent();
      assert.equal(answer.statusCode, 200, answer.body);
      assert.equal(answer.headers['preference-applied'], 'wait=30');
      assert.deepEqual(Object.keys(answer.json()).slice(0, 2), ['requestId', 'txId']);
      assert.equal(await status(answer.json().requestId), 'completed');
      assert.deepEqual((await sent()).json(), answer.json());
    }
  });

  await t.test('the response is sent when the time is over', async () => {
    const sent = await send('/v1/accounts/:address/transfer', 'wait=1');
    await chain.hold();
    const answer = await sent();
    assert.deepEqual([answer.statusCode, answer.headers['preference-applied']], [200, 'wait=1'], answer.body);
    assert.match(await status(answer.json().requestId), /^(approved|submitted)$/);
    chain.release();
    await s.settled();
  });

  await t.test('a refusal does not wait, and only calls that wait have Preference-Applied', async () => {
    const { what, token, body } = await POSTS['/v1/accounts/:address/transfer']!(s, game);
    const refused = await call(s.app, what, {
      token,
      body: { ...body, amount: 10 ** 9 },
      headers: { prefer: 'wait=30' },
    });
    assertProblem(refused, 402, 'insufficient-quarters');
    assert.equal(refused.headers['preference-applied'], undefined);
    for (const [route, prefer] of [
      ['/v1/requests', 'wait=30'],
      ['/v1/accounts/:address/transfer', 'wait=soon'],
    ] as const) {
      const answer = await (await send(route, prefer))();
      assert.ok(answer.statusCode < 300, answer.body);
      assert.equal(answer.headers['preference-applied'], undefined, route);
    }
    await s.settled();
  });

  await t.test('a stopping service sends held responses at once', async (t) => {
    // So that neither a block nor the time ends the wait.
    const { setTimeout } = globalThis;
    const endless = (work: () => void, ms?: number, ...more: []) =>
      setTimeout(work, ms === 30_000 ? NEVER_MS : ms, ...more);
    t.mock.method(globalThis, 'setTimeout', endless as typeof setTimeout);
    const { what, token, body } = await POSTS['/v1/accounts/:address/transfer']!(s, game);
    await chain.hold();
    const before = await s.service.db.query('SELECT FROM transfers');
    const answer = fetch(s.origin + what.slice('POST '.length), {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', prefer: 'wait=30' },
      body: JSON.stringify(body),
    });
    await until(
      'it is decided',
      async () => (await s.service.db.query('SELECT FROM transfers')).length > before.length,
    );
    await s.app.close();
    assert.equal((await answer).status, 200);
    chain.release();
  });
});

test('an unreadable preference is ignored', () => {
  for (const [header, seconds] of [
    [undefined, 0],
    ['', 0],
    ['wait=10', 10],
    ['Wait = "7"', 7],
    ['respond-async, wait=5; x=1', 5],
    [['return=minimal', 'wait=9'], 9],
    ['wait=31', 30],
    ['wait=999999999', 30],
    ['wait=-1', 0],
    ['wait=1.5', 0],
    ['wait', 0],
    ['nowait=5', 0],
  ] as const) {
    assert.equal(preferredSeconds(header as string), seconds, String(header));
  }
});

test('the wait ends when the caller has gone, and leaves nothing behind', async () => {
  const known: Progress = { requests: [{ id: 'r' as RequestId, status: 'submitted' }], final: false };
  const watched = new Set<(now: Progress) => void>();
  const held = new Set<() => void>();
  const wait = (connection: EventEmitter) =>
    untilFinal({
      watch: (_, changed) => {
        watched.add(changed);
        return () => void watched.delete(changed);
      },
      known,
      seconds: 30,
      connection,
      held,
    });
  for (const end of [
    (connection: EventEmitter) => connection.emit('close'),
    () => [...watched].forEach((changed) => void changed({ ...known, final: true })),
    () => [...held].forEach((stop) => void stop()),
  ]) {
    const connection = new EventEmitter();
    const waiting = wait(connection);
    for (const changed of watched) changed(known);
    assert.deepEqual([watched.size, held.size, connection.listenerCount('close')], [1, 1, 1]);
    end(connection);
    await waiting;
    assert.deepEqual([watched.size, held.size, connection.listenerCount('close')], [0, 0, 0]);
  }
});
