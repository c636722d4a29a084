import assert from 'node:assert/strict';
import { Agent, request } from 'node:http';
import { type TestContext, test } from 'node:test';
import { assertProblem, call } from '../kit/service/call.ts';
import { startTestService, type TestService } from '../kit/service/service.ts';
import { atEnd } from '../kit/unit/at-end.ts';

/** The job keeps counting, but its count is ignored. */
function fill(t: TestContext, { service: { settlement, settings } }: TestService): void {
  Object.defineProperty(settlement, 'backlog', { get: () => settings.maxBacklog, set() {}, configurable: true });
  t.after(() => Object.defineProperty(settlement, 'backlog', { value: 0, writable: true, configurable: true }));
}

test('a full backlog refuses', async (t) => {
  const s = await startTestService(t, { env: { RATE_LIMIT_PER_SECOND: '100' } });
  const game = await s.createApp();
  const { userId } = await s.createGuest(game);
  await s.issue(game.id, 100);
  const what = `POST /v1/accounts/${game.address}/transfer`;
  const body = { amount: 1, user: userId };
  const pay = (headers: Record<string, string> = {}) => call(s.app, what, { token: game.serverKey, headers, body });

  await t.test('but a repeated call whose payment was accepted gets its answer', async (t) => {
    const key = { 'idempotency-key': 'order 1' };
    const first = await pay(key);
    fill(t, s);
    const again = await pay(key);
    assert.deepEqual([again.statusCode, again.json()], [200, first.json()]);
    assert.equal(again.headers['idempotent-replayed'], 'true');
  });

  await t.test(
    'at once with the headers of a refusal that was looked up, and counts the call as one of its credential',
    async (t) => {
      fill(t, s);
      const answers = [await pay(), await pay({ 'idempotency-key': 'order 2' })];
      const [atOnce, later] = answers.map((answer) => {
        assertProblem(answer, 503, 'overloaded');
        const {
          'request-id': id,
          date: _,
          ratelimit,
          'retry-after': seconds,
          connection: __,
          ...others
        } = answer.headers;
        assert.ok(id);
        assert.match(String(seconds), /^([1-9]|10)$/);
        assert.match(String(ratelimit), /^"default";r=\d+;t=\d+$/);
        return { others, body: answer.json() };
      });
      assert.deepEqual(atOnce, later);
    },
  );

  await t.test('a stranger in the same way, and says nothing of the credential', async (t) => {
    fill(t, s);
    assertProblem(await call(s.app, what, { token: 'qk_wrong', body }), 503, 'overloaded');
  });

  await t.test('over a connection that stays open, whether the body has arrived or not', async (t) => {
    fill(t, s);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    atEnd(t, () => agent.destroy());
    const statuses = [];
    for (const pause of [false, true, false]) {
      const answer = Promise.withResolvers<{ status: number | undefined; again: boolean }>();
      const text = JSON.stringify(body);
      const headers = {
        authorization: `Bearer ${game.serverKey}`,
        'content-type': 'application/json',
        'content-length': text.length,
      };
      const sent = request(`${s.origin}/v1/accounts/${game.address}/transfer`, { agent, method: 'POST', headers });
      sent.on('error', answer.reject);
      sent.on('response', (response) => {
        response.resume();
        if (pause) sent.end(text);
        response.on('end', () => answer.resolve({ status: response.statusCode, again: sent.reusedSocket }));
      });
      if (pause) sent.flushHeaders();
      else sent.end(text);
      statuses.push(await answer.promise);
      await new Promise(setImmediate);
    }
    assert.deepEqual(statuses, [
      { status: 503, again: false },
      { status: 503, again: true },
      { status: 503, again: true },
    ]);
  });
});
