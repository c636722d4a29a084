import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { asQuarters } from '../../src/base/quarters.ts';
import { listRelayers, nextNonce } from '../../src/chain/relayers.ts';
import type { Rpc } from '../../src/chain/rpc.ts';
import { runCli } from '../../src/cli/run.ts';
import { openDatabase } from '../../src/db/database.ts';
import type { Query } from '../../src/db/queries.ts';
import { auditLedger } from '../../src/diagnostics/audit/audit-ledger.ts';
import { issueQuarters } from '../../src/features/payments/issue-quarters.ts';
import { readSuspension, suspend } from '../../src/ledger/suspension.ts';
import { connect } from '../../src/process/connect.ts';
import type { Log } from '../../src/service/service.ts';
import { compareDatabase } from '../../src/settlement/attach.ts';
import type { Engine } from '../../src/settlement/engine.ts';
import { refreshSuspension } from '../../src/settlement/readiness.ts';
import { assertLedgerIsChain } from '../kit/service/audit.ts';
import { assertProblem, call } from '../kit/service/call.ts';
import { createDatabase } from '../kit/service/database.ts';
import { proveExactlyOnce } from '../kit/service/exactly-once.ts';
import { HOUSE } from '../kit/service/house.ts';
import { ranBefore } from '../kit/service/ran-before.ts';
import { startScenario } from '../kit/service/scenario.ts';
import type { TestService } from '../kit/service/service.ts';
import { atEnd } from '../kit/unit/at-end.ts';
import { until } from '../kit/unit/until.ts';

const LONGER_THAN_A_START_WAITS = 6_000;

/** The command line beside a service. */
function commands({ service, databaseUrl }: TestService, rpcUrl: string) {
  const settings = { ...service.settings, databaseUrl, chainRpcUrls: [rpcUrl] };
  return async (...args: string[]) => {
    const [out, err] = [new PassThrough(), new PassThrough()];
    const context = {
      start: async () => {},
      migrate: async () => ({ applied: [] }),
      connect: () => connect(settings, service.log, HOUSE),
      house: () => HOUSE,
    };
    const code = await runCli({ ...context, out, err }, args);
    out.end();
    err.end();
    return { code, out: await text(out), err: await text(err) };
  };
}

/** A service that has paid twice since the copy of its database was made, once to a guest created after it. */
async function lostPayments(t: TestContext) {
  const before = await ranBefore(t);
  const copy = await before.copyDatabase();
  const later = await before.start();
  await isCompared(later);
  await before.pay(later, 11);
  await before.pay(later, 22, await later.createGuest(before.game));
  await later.settled();
  await later.stop();
  return { ...before, copy, lost: before.accepted.splice(-2) };
}

/** On a busy machine a start does not wait for this, and meanwhile payments are refused. */
const isCompared = ({ service }: TestService) =>
  until('the database is compared', () => service.readiness.compared === 'done');

const isSuspended = ({ service }: TestService) =>
  until('payments are suspended', () => service.readiness.suspended && service.readiness.chain === 'ok');

describe('a database that is older than the chain', { concurrency: 3 }, () => {
  test('an older database noticed at the start accepts no payments until the operator confirms it', async (t) => {
    const { faulty, start, copy, lost, game, guest, pay, errors } = await lostPayments(t);
    let s = await start(copy);
    await isSuspended(s);
    assert.ok(errors.some((message) => /older than the chain: no payment is accepted/.test(message)));
    const { findings } = (await readSuspension(s.service.db))!;
    assert.deepEqual(
      findings.relayers.map(({ chain, database }) => chain - database),
      [2],
    );
    assert.deepEqual(
      findings.authorizations.map(({ account, kind, txId }) => [account, kind, txId]),
      lost.map(({ txHash }) => [game.address.toLowerCase(), 'used', txHash]),
    );
    assert.equal(findings.authorizationsInAll, 2);

    // The follower continues, so a later check finds less. The first findings stay, even over a restart.
    await s.settled();
    await s.stop();
    s = await start(copy);
    await isSuspended(s);
    assert.deepEqual((await readSuspension(s.service.db))!.findings, findings);

    const refused = await call(s.app, `POST /v1/accounts/${game.address}/transfer`, {
      token: game.serverKey,
      body: { amount: 3, user: guest.userId },
    });
    assertProblem(refused, 503, 'payments-suspended');
    assert.equal(refused.headers['retry-after'], '60');
    const many = await call(s.app, `POST /v1/accounts/${game.address}/transfers`, {
      token: game.serverKey,
      body: { transfers: [{ amount: 3, user: guest.userId }] },
    });
    assertProblem(many, 503, 'payments-suspended');
    const issue = issueQuarters(s.service, { recipient: game.id, amount: asQuarters(1) });
    await assert.rejects(issue, { code: 'payments-suspended' });
    const ready = await call(s.app, 'GET /readyz');
    assert.deepEqual([ready.statusCode, ready.json().payments], [503, 'suspended']);

    const run = commands(s, faulty.proxy.url);
    const shown = await run('suspension');
    assert.match(shown.out, new RegExp(`${lost[0]!.txHash}\n`));
    assert.match(shown.err, /quarters restore.*suspension accept/s);
    assert.deepEqual(JSON.parse((await run('suspension', '--json')).out).findings, findings);
    faulty.proxy.reachable = false;
    assert.match((await run('suspension', 'accept', '--yes')).err, /The node must answer/);
    faulty.proxy.reachable = true;
    // A command does not give up while it compares, for longer than it waits at its start.
    faulty.proxy.inject({ fault: 'hang', method: 'eth_getTransactionCount' });
    const accepting = run('suspension', 'accept', '--yes', '--json');
    await until('the comparison hangs', () => faulty.proxy.struck('hang') > 0);
    await delay(LONGER_THAN_A_START_WAITS);
    faulty.proxy.heal();
    const accepted = await accepting;
    assert.deepEqual([accepted.code, JSON.parse(accepted.out).accepted], [0, true]);
    assert.match((await run('suspension', 'accept', '--yes')).err, /not suspended/);
    assert.match((await run('suspension')).out, /^Payments are not suspended: /);

    await until('the service has noticed', () => !s.service.readiness.suspended);
    await pay(s, 5);
    await issueQuarters(s.service, { recipient: game.id, amount: asQuarters(6) });
    await s.settled();
    await assertLedgerIsChain(s.service);
    // The audit reports the lost payments as what they are: payments that this database has not decided.
    const { differences } = await auditLedger(s.service);
    assert.deepEqual(
      differences.map(({ kind, txHash }) => [kind, txHash]).sort(),
      lost.map(({ txHash }) => ['undecided', txHash]).sort(),
    );
    await s.stop();
    s = await start(copy);
    await until('the node is in order', () => s.service.readiness.chain === 'ok');
    assert.equal(s.service.readiness.suspended, false);
  });

  test('an older database is noticed when the node appears after the start', async (t) => {
    const { faulty, start, copy, lost, pay } = await lostPayments(t);
    faulty.proxy.reachable = false;
    const s = await start(copy);
    await assert.rejects(pay(s, 1), { code: 'payments-suspended', message: /wait until the database is compared/ });
    faulty.proxy.reachable = true;
    await isSuspended(s);
    const { findings } = (await readSuspension(s.service.db))!;
    assert.deepEqual(findings.authorizations.map(({ txId }) => txId).sort(), lost.map(({ txHash }) => txHash).sort());
    assert.equal((await commands(s, faulty.proxy.url)('suspension', 'accept', '--yes')).code, 0);
    await until('the service has noticed', () => !s.service.readiness.suspended);
    for (let i = 1; i <= 5; i++) await pay(s, i);
    await s.settled();
    const rows = await s.service.db.query('SELECT FROM transfers WHERE status = $1', ['completed']);
    assert.equal(rows.length, 1 + 1 + 5, 'what was issued, what was paid before, and what was paid since');
    await assertLedgerIsChain(s.service);
  });

  test('a payment that a reorganisation moved to a later block while no service ran is not taken for a lost one', async (t) => {
    const { faulty, start, pay, accepted, errors } = await ranBefore(t);
    await faulty.stopMining();
    const [moved] = await faulty.newestTransactions(1);
    await faulty.reorganise(1);
    for (const { raw } of moved!) await faulty.evm.rpc('eth_sendRawTransaction', [raw]);
    await faulty.mine();
    assert.deepEqual((await faulty.newestTransactions(1))[0], moved);
    faulty.startMining();
    const s = await start();
    await isCompared(s);
    await pay(s, 8);
    await s.settled();
    assert.deepEqual(errors, []);
    await proveExactlyOnce({ service: s.service, evm: faulty.evm }, accepted);
  });

  test('an older database is noticed by transactions in the pool, which block nobody when they vanish', async (t) => {
    const before = await ranBefore(t);
    const { faulty, start, pay, accepted } = before;
    const copy = await before.copyDatabase();
    await faulty.stopMining();
    const later = await start();
    await isCompared(later);
    for (const amount of [11, 22]) await pay(later, amount);
    const { txHash } = accepted.at(-1)!;
    await until('the node has them', async () => (await faulty.evm.rpc('eth_getTransactionByHash', [txHash])) !== null);
    await later.stop();
    accepted.splice(-2);

    const s = await start(copy);
    await isSuspended(s);
    const { findings } = (await readSuspension(s.service.db))!;
    assert.deepEqual(
      findings.relayers.map(({ chain, database }) => chain - database),
      [2],
    );
    assert.equal((await commands(s, faulty.proxy.url)('suspension', 'accept', '--yes')).code, 0);
    await until('the service has noticed', () => !s.service.readiness.suspended);
    await faulty.evm.rpc('anvil_dropAllTransactions');
    await pay(s, 5);
    faulty.startMining();
    await s.settled();
    await assertLedgerIsChain(s.service);
  });

  test('a current database is not suspected because of payments during the check', async (t) => {
    const s = await startScenario(t);
    const { service } = s;
    /** Before each answer of the chain another payment is accepted, sent and mined. */
    const rpc: Rpc = {
      ...service.rpc,
      async call<Result>(method: string, params: readonly unknown[]) {
        await s.completed(await s.pay(0, 3));
        const [filter] = params as [{ toBlock?: string }];
        const upToNow = method === 'eth_getLogs' ? [{ ...filter, toBlock: 'latest' }] : params;
        return service.rpc.call<Result>(method, upToNow);
      },
    };
    const readiness = { ...service.readiness, compared: 'not-yet' as const };
    await compareDatabase({ ...service, rpc, readiness }, service.settlement.head + 1_000n);
    assert.deepEqual([readiness.compared, readiness.suspended], ['done', false]);
    await s.prove();
  });

  test('a look from before a suspension, whose answer comes late, lets no payment through', async (t) => {
    const db = openDatabase(await createDatabase(t));
    atEnd(t, () => db.close());
    const readiness = { suspended: false, moving: false, recovered: null } as Engine['readiness'];
    const log: Log = { info() {}, warn() {}, error() {} };
    const late = Promise.withResolvers<void>();
    const query: Query = async <Row extends object>(text: string, values?: readonly unknown[]) => {
      const rows = await db.query<Row>(text, values);
      await late.promise;
      return rows;
    };
    const earlier = refreshSuspension({ log, readiness, db: { ...db, query } });
    await suspend(db, { relayers: [], authorizations: [], authorizationsInAll: 1 });
    await refreshSuspension({ log, readiness, db });
    late.resolve();
    await earlier;
    assert.equal(readiness.suspended, true);
  });

  test('a current database is not suspected because of nonces that are assigned but not used yet', async (t) => {
    const { faulty, start, pay } = await ranBefore(t);
    faulty.proxy.reachable = false;
    const s = await start();
    await pay(s, 4);
    await s.stop();
    faulty.proxy.reachable = true;
    const again = await start();
    await again.settled();
    assert.equal(again.service.readiness.suspended, false);
    for (const { address } of await listRelayers(again.service.db)) {
      const onChain = await faulty.evm.rpc('eth_getTransactionCount', [address, 'latest']);
      assert.equal(BigInt(onChain as string), await nextNonce(again.service.db, address));
    }
  });
});
