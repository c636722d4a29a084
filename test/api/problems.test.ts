import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { test } from 'node:test';
import type { LightMyRequestResponse } from 'fastify';
import { asAddress } from '../../src/base/address.ts';
import { asHash } from '../../src/base/hex.ts';
import { lowestIdAt } from '../../src/base/ids.ts';
import { PROBLEMS, type ProblemCode, retryAfterSeconds } from '../../src/base/problems.ts';
import { asQuarters } from '../../src/base/quarters.ts';
import { hashSecret } from '../../src/base/secrets.ts';
import { tokenBuckets } from '../../src/base/token-buckets.ts';
import { issueKey } from '../../src/features/keys/keys.ts';
import { createRequest } from '../../src/features/requests/create-request.ts';
import { closeAccountOfUser } from '../../src/ledger/closed-accounts.ts';
import { OPERATOR } from '../../src/service/managers.ts';
import type { Engine } from '../../src/settlement/engine.ts';
import { mandateOffer } from '../../src/views/approvals/confirmation.ts';
import { senderOfTransaction } from '../../src/views/transfers/read-transfers.ts';
import { assertProblem, call } from '../kit/service/call.ts';
import { openGate } from '../kit/service/crash-gate.ts';
import { addMember, createDeveloper, registerApp } from '../kit/service/developer.ts';
import { grantMandate } from '../kit/service/grant-mandate.ts';
import { newPayment } from '../kit/service/payment.ts';
import { createPerson, signIn } from '../kit/service/people.ts';
import { POSTS } from '../kit/service/posts.ts';
import { sendRaw } from '../kit/service/raw.ts';
import { startSecondService } from '../kit/service/second-service.ts';
import { startTestService } from '../kit/service/service.ts';
import { freeze, suspend } from '../kit/service/stopping.ts';
import { atEnd } from '../kit/unit/at-end.ts';
import { asUser } from '../kit/unit/callers.ts';
import { startCuttingProxy } from '../kit/unit/cutting-proxy.ts';
import { insertDetachedMonths } from '../rows/archived-months.ts';
import { insertOrphanedDeposits } from '../rows/ledger.ts';
import { changeAttempts } from '../rows/passing.ts';
import { ageGuestTokens } from '../rows/users.ts';

/** Problems that only occur on pages, which show a message or redirect: the status of the page. */
const ON_PAGES: Partial<Record<ProblemCode, number>> = {
  'confirmation-needed': 303,
  'limit-reached': 409,
  'role-not-allowed': 403,
  'too-many-tries': 429,
};

test('each problem code of the registry can occur', async (t) => {
  const s = await startTestService(t, {
    env: { MAX_AMOUNT: '1000', AUTO_APPROVE_PER_TRANSFER: '20', CONFIRM_ABOVE: '50' },
  });
  const { app, service } = s;
  const [game, plain] = [await s.createApp({ autoApprove: true }), await s.createApp()];
  const [guest, other] = [await s.createGuest(game), await s.createGuest(game)];
  const database = await startCuttingProxy(s.databaseUrl);
  const chain = await openGate(Number(new URL(s.evm.url).port));
  atEnd(t, () => chain.close());
  atEnd(t, () => database.close());
  /** A service whose parts can fail. */
  const lame = await startSecondService(t, s, {
    databaseUrl: database.url,
    rpcUrl: `http://127.0.0.1:${chain.port}`,
    settings: { guestsPerDay: 0, maxBacklogPerApp: 0 },
  });

  const { accessToken: token } = guest;
  const ask = (body: object, headers = {}, on = app) => call(on, 'POST /v1/requests', { token, body, headers });
  const pay = (body: object, by = game.serverKey) =>
    call(app, `POST /v1/accounts/${game.address}/transfer`, { token: by, body });
  const me = (by: string | undefined, on = app) => call(on, 'GET /v1/me', by === undefined ? {} : { token: by });
  const autoApprove = (id: string, by = guest, clientId: string = game.id) =>
    call(app, `POST /v1/requests/${id}/autoApprove`, {
      token: by.accessToken,
      body: { clientId, userId: by.userId, address: by.address },
    });
  const payFromLame = async () => {
    const { what, token, body } = await POSTS['/v1/accounts/:address/transfer']!(s, game);
    return call(lame.app, what, { token, body });
  };
  const refund = (id: string, body = {}) =>
    call(app, `POST /v1/requests/${id}/refunds`, { token: game.serverKey, body });
  /** A completed payment of a guest. */
  const paid = async (by: typeof guest, tokens: number) => {
    await s.issue(by.userId, tokens);
    const payment = await newPayment(s, game, { guest: by, tokens });
    await payment.decide({ decision: 'approve' });
    await s.settled();
    return payment.id;
  };
  const raw = async (text: string) => {
    const [head = '', body = ''] = (await sendRaw(Number(new URL(s.origin).port), text)).split('\r\n\r\n');
    const [status = '', ...lines] = head.split('\r\n');
    const headers = Object.fromEntries(lines.map((line) => line.toLowerCase().split(': ')));
    return { statusCode: Number(status.split(' ')[1]), headers, body, json: () => JSON.parse(body) };
  };
  const one = { tokens: 1, appId: game.id };

  const provoke: Record<
    Exclude<ProblemCode, 'chain-unavailable'>,
    () => Promise<Pick<LightMyRequestResponse, 'statusCode' | 'headers' | 'body'>>
  > = {
    'invalid-input': () => ask({ ...one, tokens: 0 }),
    'malformed-json': () => call(app, 'POST /v1/requests', { token, text: '{' }),
    'recipient-mismatch': () => pay({ amount: 1, user: guest.userId, address: other.address }),
    'amount-too-large': () => ask({ ...one, tokens: 1001 }),
    'token-missing': () => me(undefined),
    'token-invalid': () => me('nobody'),
    async 'token-expired'() {
      const { accessToken } = await s.createGuest(game);
      await ageGuestTokens(service.db, { hash: hashSecret(accessToken) }, '366 days');
      return me(accessToken);
    },
    'insufficient-quarters': () => pay({ amount: 1, user: guest.userId }),
    'credential-not-allowed': () => me(game.serverKey),
    'insufficient-scope': () =>
      call(app, `POST /v1/guests/${guest.userId}/tokens`, { token: game.serverKey, body: {} }),
    async 'key-limit'() {
      await s.issue(game.id, 10);
      const capped = { kind: 'server', scopes: ['pay'], payPerDay: asQuarters(1) } as const;
      return pay({ amount: 2, user: guest.userId }, await issueKey(service, OPERATOR, game.id, capped));
    },
    'app-mismatch': () => ask({ ...one, appId: plain.id }),
    async 'auto-approve-not-enabled'() {
      const payment = await newPayment(s, plain);
      return autoApprove(payment.id, payment.guest, plain.id);
    },
    'auto-approve-not-granted': async () => autoApprove((await newPayment(s, game, { guest: other })).id, other),
    async 'auto-approve-limit'() {
      await s.issue(guest.userId, 100);
      const first = await newPayment(s, game, { guest });
      await first.decide({ decision: 'approve', mandate: 'on' });
      return autoApprove((await newPayment(s, game, { guest, tokens: 21 })).id);
    },
    async 'account-frozen'() {
      const payment = await newPayment(s, game);
      await grantMandate(service.db, { userId: payment.guest.userId, appId: game.id, ...mandateOffer(service) });
      await freeze(service, payment.guest.userId);
      return autoApprove(payment.id, payment.guest);
    },
    async 'app-suspended'() {
      const stopped = await s.createApp();
      await suspend(service, stopped.id);
      return call(app, 'POST /v1/new-guest', { token: stopped.serverKey });
    },
    'not-found': () => call(app, 'GET /v1/nothing'),
    'method-not-allowed': () => call(app, 'DELETE /v1/me'),
    async 'request-timeout'() {
      const connected = once(app.server, 'connection');
      const answer = raw('GET /v1/me HTTP/1.1\r\n');
      const [socket] = (await connected) as [Socket];
      // The server does this after 30 seconds.
      app.server.emit('clientError', Object.assign(new Error(), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), socket);
      return answer;
    },
    async 'role-not-allowed'() {
      const [owner, viewer] = [await createDeveloper(s), await createDeveloper(s)];
      const { id } = await registerApp(owner);
      await addMember(s, id, viewer, 'viewer');
      return viewer.post(`/developer/apps/${id}/keys`, { kind: 'server' });
    },
    async 'confirmation-needed'() {
      const { userId } = await createPerson(s);
      const { cookie } = await signIn(s, userId, 6);
      const { id } = await createRequest(service, asUser(userId, game.id), { tokens: 51, appId: game.id });
      const page = await app.inject({ url: `/requests/${id}`, headers: { cookie } });
      const page_token = /name="page_token" value="([^"]+)"/.exec(page.body)?.[1] ?? '';
      return app.inject({
        method: 'POST',
        url: `/requests/${id}/decision`,
        headers: { cookie, 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' },
        payload: new URLSearchParams({ page_token, decision: 'approve' }).toString(),
      });
    },
    async 'request-decided'() {
      const payment = await newPayment(s, game, { guest });
      await payment.decide({ decision: 'decline' });
      return autoApprove(payment.id);
    },
    async archived() {
      await insertDetachedMonths(service.db, [{ month: '2020-01-01', lastBlock: 0 }]);
      return call(app, `GET /v1/requests/${lowestIdAt(new Date('2020-01-31T23:59Z'))}`, { token: game.serverKey });
    },
    async 'not-refundable'() {
      const payment = await newPayment(s, game, { guest });
      return refund(payment.id);
    },
    async 'quarters-unconfirmed'() {
      await insertOrphanedDeposits(service.db, [{ address: asAddress(plain.address), amount: 1 }]);
      return call(app, `POST /v1/accounts/${plain.address}/transfer`, {
        token: plain.serverKey,
        body: { amount: 1, user: (await s.createGuest(plain)).userId },
      });
    },
    async 'refund-too-large'() {
      return refund(await paid(guest, 1), { amount: 2 });
    },
    async 'account-closed'() {
      const leaver = await s.createGuest(game);
      const id = await paid(leaver, 1);
      await closeAccountOfUser(service.db, leaver.userId);
      return refund(id);
    },
    async 'limit-reached'() {
      const developer = await createDeveloper(s);
      const { id } = await registerApp(developer);
      await developer.post(`/developer/apps/${id}/keys`, { kind: 'server' });
      return developer.post(`/developer/apps/${id}/keys`, { kind: 'server' });
    },
    'body-too-large': () => ask({ ...one, description: 'x'.repeat(20_000) }),
    'unsupported-media-type': () =>
      call(app, 'POST /v1/requests', { token, text: 'a=b', headers: { 'content-type': 'text/plain' } }),
    async 'idempotency-mismatch'() {
      await ask(one, { 'idempotency-key': 'k' });
      return ask({ ...one, tokens: 2 }, { 'idempotency-key': 'k' });
    },
    async 'rate-limited'(): Promise<LightMyRequestResponse> {
      const credentials = tokenBuckets({ perSecond: 1, processes: () => 1, seconds: () => 0 });
      Object.assign(lame.service, { rateLimits: { credentials, addresses: null } });
      await me(token, lame.app);
      const answer = await me(token, lame.app);
      Object.assign(lame.service, { rateLimits: { credentials: null, addresses: null } });
      return answer;
    },
    async 'too-many-tries'() {
      await call(app, 'GET /oauth/logout');
      await changeAttempts(service.db, {}, { count: 1_000_000 });
      return call(app, 'GET /oauth/logout');
    },
    'headers-too-large': () => raw(`GET /v1/me HTTP/1.1\r\nHost: x\r\nX-Large: ${'x'.repeat(20_000)}\r\n\r\n`),
    'guest-limit': () => call(lame.app, 'POST /v1/new-guest', { token: game.serverKey }),
    async internal() {
      const broken = t.mock.method(lame.service.db, 'lookUp', () => Promise.reject(new Error('broken')));
      const answer = await me(token, lame.app);
      broken.mock.restore();
      return answer;
    },
    'outcome-unknown'() {
      database.cutNextCommit();
      return ask(one, {}, lame.app);
    },
    'app-backlog-full': () => payFromLame(),
    overloaded() {
      (lame.service as Engine).settlement.backlog = lame.service.settings.maxBacklog;
      return payFromLame();
    },
    async 'payments-suspended'() {
      (lame.service as Engine).readiness.suspended = true;
      const { what, token, body } = await POSTS['/v1/accounts/:address/transfer']!(s, game);
      const answer = await call(lame.app, what, { token, body });
      (lame.service as Engine).readiness.suspended = false;
      return answer;
    },
    'database-unavailable'() {
      database.close();
      return me(token, lame.app);
    },
  };

  for (const [code, { status }] of Object.entries(PROBLEMS) as [ProblemCode, { status: number }][]) {
    await t.test(code, async () => {
      if (code === 'chain-unavailable') {
        // No call of the API needs a node. Pages and commands show this.
        chain.shut(true);
        const looking = senderOfTransaction(lame.service, asHash(`0x${'5'.repeat(64)}`));
        await assert.rejects(looking, { name: 'Problem', code });
        return;
      }
      const answer = await provoke[code]();
      if (code in ON_PAGES) {
        assert.equal(answer.statusCode, ON_PAGES[code]);
        if (ON_PAGES[code] === 303) assert.match(String(answer.headers.location), /^\/sign-in\?again=true/);
        return;
      }
      assertProblem(answer as LightMyRequestResponse, status, code);
      if (retryAfterSeconds(code) !== undefined || status === 429 || (status === 503 && code !== 'outcome-unknown')) {
        assert.ok(Number(answer.headers['retry-after']) > 0);
      }
    });
  }

  await t.test('without the database, OAuth answers in its own error form', async () => {
    for (const path of ['/oauth/token', '/v1/oauth/token']) {
      const answer = await lame.app.inject({
        method: 'POST',
        url: path,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        payload: `grant_type=authorization_code&code=x&client_id=${game.id}&client_secret=y`,
      });
      assert.deepEqual([answer.statusCode, answer.json().error], [503, 'temporarily_unavailable'], answer.body);
      assert.equal(answer.headers['retry-after'], '5');
    }
  });
});
