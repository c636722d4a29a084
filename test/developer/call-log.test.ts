import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { test } from 'node:test';
import type { LightMyRequestResponse } from 'fastify';
import type { AppId, CallId } from '../../src/base/ids.ts';
import { hashesOfId } from '../../src/http/named-ids.ts';
import { readCallHours, readErrorHours } from '../../src/wings/call-log/store/call-hours.ts';
import { callTime, findCall, type LoggedCall, searchCalls } from '../../src/wings/call-log/store/calls.ts';
import { call } from '../kit/service/call.ts';
import { newPayment } from '../kit/service/payment.ts';
import { runCommand } from '../kit/service/run-command.ts';
import type { TestService } from '../kit/service/service.ts';
import { sharedService } from '../kit/service/shared-service.ts';
import { until } from '../kit/unit/until.ts';

const idOf = ({ headers }: LightMyRequestResponse) => headers['request-id'] as CallId;

/** The logged call that got this answer. */
async function logged({ service: { db } }: TestService, appId: AppId, answer: LightMyRequestResponse) {
  const found: LoggedCall[] = [];
  await until('the call is logged', async () => {
    found.push(...[await findCall(db, appId, idOf(answer))].filter((call) => call !== null));
    return found.length > 0;
  });
  return found[0]!;
}

/** All calls of an app that are logged, newest first. */
const callsOf = async ({ service: { db } }: Pick<TestService, 'service'>, appId: AppId) =>
  (await searchCalls(db, { appId, size: 1_000 }, {}, 1_000)).calls;

test('the log of API calls', async (t) => {
  const s = await sharedService(t);
  const { app, service } = s;
  const game = await s.createApp();
  const guest = await s.createGuest(game);

  await t.test('a call has its outcome, its caller and the payment it names', async () => {
    const payment = await newPayment(s, game, { guest });
    const began = Date.now();
    const headers = { 'idempotency-key': 'order 7' };
    const read = await call(app, `GET /v1/requests/${payment.id}?x=y`, { token: guest.accessToken, headers });
    const { id, milliseconds, ...entry } = await logged(s, game.id, read);
    assert.deepEqual(entry, {
      status: 200,
      method: 'GET',
      route: '/v1/requests/:id',
      code: null,
      fields: null,
      keyId: null,
      userId: guest.userId,
      idempotency: hash('sha256', 'order 7').slice(0, 8),
      paymentId: payment.id,
      about: null,
    });
    assert.ok(milliseconds > 0 && id === idOf(read));
    assert.ok(callTime({ id }).getTime() >= began && callTime({ id }).getTime() <= Date.now());

    const body = { tokens: 5, appId: game.id };
    const created = await call(app, 'POST /v1/requests', { token: guest.accessToken, body });
    assert.equal((await logged(s, game.id, created)).paymentId, created.json().id);
  });

  await t.test('a refused call has its code, and the key that called', async () => {
    const refused = await call(app, 'GET /v1/me', { token: game.serverKey });
    const { status, code, keyId, userId } = await logged(s, game.id, refused);
    const key = hash('sha256', game.serverKey).slice(0, 16);
    assert.deepEqual([status, code, keyId, userId], [403, 'credential-not-allowed', key, null]);
    const invalid = await call(app, 'POST /v1/requests', { token: guest.accessToken, text: '{"tokens":' });
    const { code: why } = await logged(s, game.id, invalid);
    assert.equal(why, 'malformed-json');
    const body = { tokens: 'secret-4711', appId: game.id, expiresIn: -1 };
    const faulty = await call(app, 'POST /v1/requests?wait=secret-4711', { token: guest.accessToken, body });
    const entry = await logged(s, game.id, faulty);
    assert.deepEqual([entry.code, entry.fields], ['invalid-input', 'tokens, expiresIn']);
    const listed = await call(app, 'GET /v1/requests?limit=secret-4711', { token: guest.accessToken });
    assert.equal((await logged(s, game.id, listed)).fields, 'limit');
    const many = { transfers: Array.from({ length: 7 }, () => ({ amount: 0 })) };
    const path = `POST /v1/accounts/${game.address}/transfers`;
    const batch = await logged(s, game.id, await call(app, path, { token: game.serverKey, body: many }));
    assert.match(batch.fields ?? '', /^transfers\[0\]\.amount, .*, …$/);
  });

  await t.test('a refused call is found by an id in its path, query or body, in any letter case', async (t) => {
    const info = t.mock.method(service.log, 'info');
    const userId = 'U'.repeat(28);
    const body = { amount: 5, user: userId };
    const answers = [
      await call(app, `POST /v1/accounts/${game.address}/transfer`, { token: game.serverKey, body }),
      await call(app, `GET /v1/requests/${userId}`, { token: game.serverKey }),
      await call(app, `GET /v1/requests?userId=${userId}&limit=0`, { token: game.serverKey }),
    ];
    assert.deepEqual(
      answers.map(({ statusCode }) => statusCode),
      [404, 404, 400],
    );
    for (const answer of answers) {
      const { about } = await logged(s, game.id, answer);
      assert.match(about ?? '', /^[0-9a-f]{8}( [0-9a-f]{8})?$/);
      assert.doesNotMatch(
        about ?? '',
        new RegExp(hash('sha256', userId).slice(0, 8)),
        'nobody can try ids without the key',
      );
    }
    const found = async (id: string) =>
      (await searchCalls(service.db, { appId: game.id, size: 1_000 }, { about: hashesOfId(service, id) }, 9)).calls;
    const ids = answers.map(idOf).sort();
    for (const id of [userId, ` ${userId.toLowerCase()} `]) {
      assert.deepEqual((await found(id)).map((one) => one.id).sort(), ids);
    }
    assert.deepEqual(await found('V'.repeat(28)), []);
    // The operator finds them in the lines of the service.
    const { out } = await runCommand(service, 'ids', 'hash', userId);
    const lines = info.mock.calls.map(({ arguments: [entry] }) => entry as { requestId?: CallId; about?: string });
    const withIt = lines.filter(({ about }) => about?.split(' ').includes(out.trim()));
    assert.deepEqual(withIt.map(({ requestId }) => requestId).sort(), ids);
  });

  await t.test('no secret is logged, wherever a caller puts it', async () => {
    const token = guest.accessToken;
    const headers = { 'idempotency-key': game.serverKey };
    const answers = [
      await call(app, `GET /v1/requests/${token}?access_token=${token}`, { token, headers }),
      await call(app, `POST /v1/requests/${token}/cancel`, { token, headers }),
      await call(app, `GET /v1/accounts/${token}/balance?secret=${game.serverKey}`, { token, headers }),
      await call(app, 'POST /v1/requests', { token, body: { tokens: 1, appId: game.id, description: game.serverKey } }),
    ];
    for (const answer of answers) await logged(s, game.id, answer);
    const rows = await service.db.query('SELECT api_calls::text FROM api_calls WHERE app_id = $1', [game.id]);
    const text = JSON.stringify(rows);
    for (const secret of [token, game.serverKey, token.slice(3), game.serverKey.slice(3)]) {
      assert.ok(!text.includes(secret) && !text.includes(secret.slice(0, 12)));
    }
  });

  await t.test('a call is in the log of its own app alone, and one without a valid credential in none', async () => {
    const [own, other] = [await s.createApp(), await s.createApp()];
    const stranger = await call(app, 'GET /v1/requests', { token: `qk_${'x'.repeat(43)}` });
    const answer = await call(app, 'GET /v1/requests', { token: own.serverKey });
    await logged(s, own.id, answer);
    assert.deepEqual(
      (await callsOf(s, own.id)).map(({ id }) => id),
      [idOf(answer)],
    );
    assert.deepEqual(await callsOf(s, other.id), []);
    assert.equal(await findCall(service.db, other.id, idOf(answer)), null);
    const strangers = await service.db.query('SELECT FROM api_calls WHERE id = $1', [idOf(stranger)]);
    assert.equal(strangers.length, 0);
  });

  await t.test('calls at once are counted exactly, by outcome and hour, and only some are listed', async () => {
    const busy = await s.createApp();
    const hour = new Date();
    const paths = ['/v1/requests', '/v1/requests', '/v1/me'];
    for (let i = 0; i < 4; i++) {
      await Promise.all(
        Array.from({ length: 60 }, (_, n) => call(app, `GET ${paths[n % 3]}`, { token: busy.serverKey })),
      );
    }
    const sums = async () => {
      const hours = await readCallHours(service.db, busy.id, hour);
      return [hours.reduce((sum, { calls }) => sum + calls, 0), hours.reduce((sum, { refused }) => sum + refused, 0)];
    };
    await until('all are counted', async () => (await sums())[0] === 240);
    assert.deepEqual(await sums(), [240, 80]);
    const errors = await readErrorHours(service.db, busy.id, hour);
    assert.equal(
      errors.reduce((sum, { count }) => sum + count, 0),
      80,
    );
    assert.deepEqual([...new Set(errors.map(({ code }) => code))], ['credential-not-allowed']);
    // However many writes there were, each kept 50 rows, and refusals first.
    const listed = await callsOf(s, busy.id);
    assert.ok(listed.filter(({ status }) => status === 403).length >= 50);
  });
});
