import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { FastifyInstance } from 'fastify';
import { assertHoldsAreTransfers, assertLedgerIsChain } from '../kit/service/audit.ts';
import { assertProblem, call } from '../kit/service/call.ts';
import { newPayment, type Payment } from '../kit/service/payment.ts';
import { startSecondService } from '../kit/service/second-service.ts';
import { startTestService, type TestApp, type TestService } from '../kit/service/service.ts';
import { atEnd } from '../kit/unit/at-end.ts';
import { until } from '../kit/unit/until.ts';
import { createRole, fillDisk, makeReadOnly } from '../rows/starving.ts';

/** Amounts of no other payment. */
const [PAID_ONCE, APPROVED_ONCE] = [7, 11];

type World = {
  readonly s: TestService;
  readonly app: FastifyInstance;
  readonly game: TestApp;
  readonly payment: Payment;
};

async function readyz(app: FastifyInstance): Promise<string> {
  const { statusCode, body } = await app.inject({ url: '/readyz' });
  return `${statusCode} ${JSON.parse(body).database}`;
}

const isReady = async (app: FastifyInstance) => (await readyz(app)) === '200 ok';

function calls({ app, game, payment: { guest, id } }: World, formToken: string) {
  const pay = () =>
    call(app, `POST /v1/accounts/${game.address}/transfer`, {
      token: game.serverKey,
      body: { amount: PAID_ONCE, user: guest.userId },
      headers: { 'idempotency-key': 'order 1' },
    });
  const askForQuarters = () =>
    call(app, 'POST /v1/requests', { token: guest.accessToken, body: { tokens: 1, appId: game.id } });
  const form = (url: string, fields: Record<string, string>) =>
    app.inject({
      method: 'POST',
      url,
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' },
      payload: new URLSearchParams(fields).toString(),
    });
  const approve = () => form(`/requests/${id}/decision`, { page_token: formToken, decision: 'approve' });
  const query = new URLSearchParams({
    client_id: game.id,
    response_type: 'code',
    redirect_uri: 'https://game.example/back',
    scope: 'openid',
    state: 'state',
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
  });
  const authorize = () => app.inject({ url: `/oauth/authorize?${query}` });
  return { pay, askForQuarters, approve, authorize };
}

/** While the database lacks something: 503 everywhere, and not ready. When it has it again: everything is as before. */
async function assertRefusesAndHeals(world: World, starve: () => Promise<() => Promise<void>>): Promise<void> {
  const { s, app, payment } = world;
  const { pay, askForQuarters, approve, authorize } = calls(world, await payment.formToken());
  const statements = ['transfers', 'requests', 'idempotency_keys'].map((table) => `SELECT count(*) FROM ${table}`);
  const stored = () => Promise.all(statements.map((text) => s.service.db.query(text)));
  await s.settled();
  await until('the service is ready', () => isReady(app));
  const before = await stored();

  const relieve = await starve();
  for (const answer of [await pay(), await askForQuarters()]) {
    assertProblem(answer, 503, 'database-unavailable');
    assert.equal(answer.headers['retry-after'], '5');
  }
  for (const page of [await approve(), await authorize()]) {
    assert.equal(page.statusCode, 503, page.body);
    assert.equal(page.headers['retry-after'], '5');
    assert.match(String(page.headers['content-type']), /text\/html/);
  }
  await until('/readyz is red', async () => !(await isReady(app)));
  for (let asked = 0; asked < 3; asked++) assert.equal(await readyz(app), '503 unavailable');

  await relieve();
  await until('the service is ready again', () => isReady(app));
  assert.deepEqual(await stored(), before, 'nothing was accepted');
  await until('it pays', async () => (await pay()).statusCode === 200);
  await until('it pays from the page', async () => (await approve()).statusCode < 400);
  assert.equal((await authorize()).statusCode, 303);
  await s.settled();
  assert.equal((await pay()).headers['idempotent-replayed'], 'true');
  const paid = await s.service.db.query<{ amount: bigint }>(
    `SELECT amount FROM transfers WHERE amount = ANY($1) AND status = 'completed' ORDER BY amount`,
    [[PAID_ONCE, APPROVED_ONCE]],
  );
  assert.deepEqual(paid, [{ amount: BigInt(PAID_ONCE) }, { amount: BigInt(APPROVED_ONCE) }], 'each once');
  await assertHoldsAreTransfers(s.service);
  await assertLedgerIsChain(s.service);
}

async function openWorld(t: TestContext, env = {}): Promise<World> {
  const s = await startTestService(t, { env });
  const game = await s.createApp({ redirectUris: ['https://game.example/back'] });
  await s.issue(game.id, 100);
  const payment = await newPayment(s, game, { tokens: APPROVED_ONCE });
  await s.issue(payment.guest.userId, 100);
  return { s, app: s.app, game, payment };
}

test('a full disk answers 503 and is not ready until there is space, and loses no transfer', async (t) => {
  const world = await openWorld(t);
  await assertRefusesAndHeals(world, () => fillDisk(world.s.service.db));
});

test('a read-only database answers 503 and is not ready until it takes writes, and loses no transfer', async (t) => {
  const world = await openWorld(t);
  await assertRefusesAndHeals(world, () => makeReadOnly(world.s.databaseUrl));
});

test('a database out of connections answers 503 and is not ready until it has one, and loses no transfer', async (t) => {
  const world = await openWorld(t, { RELAYERS: '2' });
  const { s } = world;
  const role = await createRole(s.databaseUrl);
  atEnd(t, role.remove);
  const second = await startSecondService(t, s, { databaseUrl: role.databaseUrl, works: true });
  await assertRefusesAndHeals({ ...world, app: second.app }, role.refuse);
});
