import assert from 'node:assert/strict';
import { test } from 'node:test';
import { migrate } from '../../src/db/migrate.ts';
import { readSuspension } from '../../src/ledger/suspension.ts';
import { assertLedgerIsChain } from '../kit/service/audit.ts';
import { assertProblem, call } from '../kit/service/call.ts';
import { openGate } from '../kit/service/crash-gate.ts';
import { type OwnPostgres, startOwnPostgres, WAITING } from '../kit/service/own-postgres.ts';
import { startTestService } from '../kit/service/service.ts';
import { atEnd } from '../kit/unit/at-end.ts';
import { until } from '../kit/unit/until.ts';

/** Less than the ten seconds after which the service lets nothing wait any more. */
const LONGEST_WAIT_S = 3;

test('failovers of the database', async (t) => {
  let primary: OwnPostgres = await startOwnPostgres(t);
  let former = primary;
  await migrate(primary.url);
  const gate = await openGate(primary.port);
  atEnd(t, () => gate.close());
  const databaseUrl = Object.assign(new URL(primary.url), { port: `${gate.port}` }).href;
  const errors: string[] = [];
  const log = { info() {}, warn() {}, error: (_: object, message: string) => void errors.push(message) };
  // No snapshot: that is in another PostgreSQL.
  const s = await startTestService(t, { databaseUrl, log, env: { INITIAL_SUPPLY: '1000000' } });
  // Whatever fails, the service can stop.
  atEnd(t, () => primary.waitFor('').catch(() => {}));
  const app = await s.createApp();
  await s.issue(app.id, 100_000);
  const guest = await s.createGuest(app);
  let [pending, completed] = ['', ''];

  const pay = (amount: number, key: string) =>
    call(s.app, `POST /v1/accounts/${app.address}/transfer`, {
      token: app.serverKey,
      headers: { 'idempotency-key': key },
      body: { amount, user: guest.userId },
    });
  const paid = (amount: number, key: string) =>
    until(`${key} is paid`, async () => (await pay(amount, key)).statusCode === 200);
  const read = (path: string) => call(s.app, `GET /v1/${path}`, { token: app.serverKey });
  const isReady = async () => (await call(s.app, 'GET /readyz')).statusCode === 200;
  /** What was written becomes visible, although no standby has it. */
  const cancelWaits = (longerThanS: number) =>
    primary.sql(
      `SELECT pg_cancel_backend(pid) FROM (${WAITING} AND query_start < clock_timestamp() - make_interval(secs => $1)) AS waiting`,
      [longerThanS],
    );
  const waits = (text: string) =>
    until(`${text} waits for a standby`, async () => {
      await cancelWaits(LONGEST_WAIT_S);
      return (await primary.sql(`${WAITING} AND query LIKE '%${text}%'`)).length > 0;
    });
  /** What the guest has on the chain, once everything is settled there and in the ledger. */
  const received = async () => {
    await s.settled();
    await assertLedgerIsChain(s.service);
    const token = guest.accessToken;
    const [balance] = (await call(s.app, `GET /v1/accounts/${guest.address}/balance`, { token })).json();
    return Number(balance.quarters);
  };
  const failOverTo = async (standby: OwnPostgres) => {
    await standby.promote();
    gate.leadTo(standby.port);
    primary = standby;
  };

  await t.test(
    'a payment that no standby has is neither sent nor answered, and is paid once after a failover',
    async () => {
      const standby = await primary.copy();
      const asked = { token: guest.accessToken, body: { tokens: 5, appId: app.id } };
      pending = (await call(s.app, 'POST /v1/requests', asked)).json().id;
      await primary.waitFor('*');
      await paid(1, 'replicated');
      completed = (await pay(1, 'replicated')).json().requestId;
      assert.equal(await received(), 1);
      await standby.stop();

      const countOf = async () => (await primary.sql<{ count: string }>('SELECT count(*) FROM transactions'))[0]!.count;
      const before = await countOf();
      const calls = [paid(20, 'not replicated')];
      let areAnswered = false;
      // To us, and to the process that sends. Chores wait for the standby too, and may hold what the payment needs.
      await until('the payment is visible', async () => {
        await cancelWaits(0);
        return (await countOf()) !== before;
      });
      calls.push(paid(20, 'not replicated'));
      const answered = Promise.race(calls).then(() => {
        areAnswered = true;
      });
      await waits('FROM idempotency_keys');
      await waits('FROM transactions WHERE relayer');
      assert.equal(areAnswered, false);
      const [paying] = await primary.sql<{ id: string; requestId: string }>(
        'SELECT id, request_id AS "requestId" FROM transfers ORDER BY created_at DESC LIMIT 1',
      );
      // A game verifies payments by them.
      const reads = [
        ...[`requests/${paying!.requestId}`, `transfers/${paying!.id}`],
        ...['requests?status=approved', 'transfers'],
      ].map(read);
      await waits('FROM ONLY requests WHERE id');
      await waits('FROM ONLY transfers WHERE id');
      for (const known of [pending, completed]) assert.equal((await read(`requests/${known}`)).statusCode, 200);
      former = primary;
      await primary.kill();
      await standby.start();
      await failOverTo(standby);
      for (const answer of await Promise.all(reads)) assertProblem(answer, 503, 'database-unavailable');
      await Promise.all([answered, ...calls]);
      assert.equal(await received(), 21);
      assert.equal(await readSuspension(s.service.db), null);
    },
  );

  await t.test('an old primary that comes back, and a standby, are not used', async () => {
    const standby = await primary.copy();
    await former.start();
    for (const unfit of [former, standby]) {
      gate.leadTo(unfit.port);
      await until('the service is not ready', async () => !(await isReady()));
      assertProblem(await pay(3, 'nowhere'), 503, 'database-unavailable');
      gate.leadTo(primary.port);
      await until('the service is ready', isReady);
    }
    await Promise.all([former.stop(), standby.stop()]);
    assert.equal(await received(), 21);
  });

  await t.test('without a standby calls get 503 until one is back, and what was unknown is paid once', async () => {
    await primary.waitFor('*');
    assertProblem(await pay(40, 'unknown'), 503, 'outcome-unknown');
    assertProblem(await pay(50, 'refused'), 503, 'database-unavailable');
    assert.equal(await isReady(), false);
    assert.match((await call(s.app, 'GET /metrics')).body, /^quarters_database_writable 0$/m);
    const page = await call(s.app, 'GET /sign-in');
    assert.equal(page.statusCode, 200, 'what needs no write is served');
    for (const known of [pending, completed]) assert.equal((await read(`requests/${known}`)).statusCode, 200);

    await primary.waitFor('');
    await until('the service is ready', isReady);
    await paid(40, 'unknown');
    assert.equal(await received(), 61);
  });

  await t.test('a failover that lost a payment suspends payments before another one is accepted', async () => {
    const standby = await primary.copy();
    await standby.stop();
    await paid(300, 'lost');
    assert.equal(await received(), 361);
    await primary.kill();
    await standby.start();
    await failOverTo(standby);
    await until('payments are suspended', async () => {
      const answer = await pay(300, 'lost');
      assert.equal(answer.statusCode, 503, answer.body);
      return (await readSuspension(s.service.db)) !== null;
    });
    const { findings } = (await readSuspension(s.service.db))!;
    assert.deepEqual(
      findings.relayers.map(({ chain, database }) => chain - database),
      [1],
    );
    assert.equal(findings.authorizationsInAll, 1);
    // The process learns it from the database, as a payment does.
    await until('the log says so', () => errors.some((message) => /older than the chain/.test(message)));
  });
  // Before its servers.
  await s.stop();
});
