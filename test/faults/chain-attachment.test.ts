import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Problem } from '../../src/base/problems.ts';
import { assertInvalid, call } from '../kit/service/call.ts';
import { startEvm } from '../kit/service/evm.ts';
import { proveExactlyOnce } from '../kit/service/exactly-once.ts';
import { ranBefore } from '../kit/service/ran-before.ts';
import { startScenario } from '../kit/service/scenario.ts';
import { atEnd } from '../kit/unit/at-end.ts';
import { until } from '../kit/unit/until.ts';
import { codeOf, sentBy, setCode, untilReadyz } from './attachment.ts';

const WINDOW = 10;

/**
 * Quarters that the new chain does not have yet cannot be spent for a moment, and nothing is accepted while the database is compared: the
 * caller has to try again.
 */
function untilConfirmed(failure: unknown): false {
  assert.match((failure as Problem).code, /^(?:quarters-unconfirmed|overloaded)$/);
  return false;
}

describe('the chain is checked before anything is sent or followed', { concurrency: 3 }, () => {
  test('a service starts and accepts payments while its node is down, and pays them once it is up', async (t) => {
    const { faulty, start, game, guest, pay, accepted } = await ranBefore(t);
    faulty.proxy.reachable = false;
    const s = await start();
    for (let i = 1; i <= 10; i++) await pay(s, i);
    await untilReadyz(s, 503, 'unavailable');
    assert.equal((await call(s.app, 'GET /readyz?exclude=gas&exclude=chain')).statusCode, 200);
    assert.equal((await call(s.app, 'GET /readyz?exclude=gas')).statusCode, 503);
    assertInvalid(await call(s.app, 'GET /readyz?exclude=node'), 'query/exclude');
    const me = await call(s.app, 'GET /v1/me', { token: guest.accessToken });
    assert.equal(me.statusCode, 200);
    const read = await call(s.app, `GET /v1/requests/${accepted.at(-1)!.requestId}`, { token: game.serverKey });
    assert.equal(read.json().status, 'approved');
    const during = faulty.proxy.requests;
    await until('the service has looked in vain', () => faulty.proxy.requests > during + 2);
    assert.equal(s.service.settlement.gas, 'unknown', 'balances are not read before the chain is known');
    faulty.proxy.reachable = true;
    await s.settled();
    await untilReadyz(s, 200, 'ok');
    await proveExactlyOnce({ service: s.service, evm: faulty.evm }, accepted);
  });

  test('a node on another chain that appears after the start is neither followed nor sent to', async (t) => {
    const { faulty, start, pay, accepted, errors } = await ranBefore(t);
    const other = await startEvm({ args: ['--chain-id', '4242'] });
    atEnd(t, () => other.stop());
    faulty.proxy.reachable = false;
    const s = await start();
    await pay(s, 30);
    const [cursor] = await s.service.db.query('SELECT max(number) FROM blocks');
    // It has more blocks than our chain, so that it could be followed.
    await other.rpc('anvil_mine', ['0x100']);
    faulty.proxy.target(other.url);
    faulty.proxy.reachable = true;
    await until('it is seen', () => s.service.readiness.chain === 'foreign');
    assert.deepEqual(errors, [
      'the node is on another chain than the database: nothing is sent to it, and it is not followed',
    ]);
    await untilReadyz(s, 503, 'foreign');
    // A node of another chain is asked only which chain it is on.
    const others = ['eth_getBlockByNumber', 'eth_getTransactionCount', 'eth_getBalance', 'eth_sendRawTransaction'];
    for (const method of others) faulty.proxy.inject({ fault: 'delay', method });
    const during = faulty.proxy.requests;
    await until('the service has looked again', () => faulty.proxy.requests > during + 4);
    assert.equal(faulty.proxy.struck(), 0);
    faulty.proxy.heal();
    assert.deepEqual((await s.service.db.query('SELECT max(number) FROM blocks'))[0], cursor);
    faulty.proxy.target(faulty.evm.url);
    await s.settled();
    await proveExactlyOnce({ service: s.service, evm: faulty.evm }, accepted);
  });

  test('a running service whose node switches to another chain does not rewind its ledger', async (t) => {
    const s = await startScenario(t);
    await s.completed(await s.pay(0, 10));
    const other = await startEvm({ args: ['--chain-id', '4242'] });
    atEnd(t, () => other.stop());
    await other.rpc('anvil_mine', ['0x100']);
    s.faulty.proxy.target(other.url);
    await until('it is seen', () => s.service.readiness.chain === 'foreign');
    s.faulty.proxy.target(s.faulty.evm.url);
    await s.completed(await s.pay(1, 20));
    await s.prove();
    assert.ok(!s.logged.some(({ message }) => /reorgani/.test(message)));
  });

  test('a start on a node without the contracts deploys them again and pays everything again', async (t) => {
    const { faulty, start, pay, accepted } = await ranBefore(t);
    await faulty.restartFrom(null);
    const s = await start();
    await until('a payment is accepted', () => pay(s, 40).then(() => true, untilConfirmed));
    await s.settled();
    await untilReadyz(s, 200, 'ok');
    await proveExactlyOnce({ service: s.service, evm: faulty.evm }, accepted);
  });

  test('sending stops with an error while the contracts have no code, and resumes when they are back', async (t) => {
    const s = await startScenario(t, { env: { IN_FLIGHT_WINDOW: `${WINDOW}` } });
    const { token, settlement } = s.service.chain.contracts;
    const codes = [await codeOf(s.faulty.evm, token), await codeOf(s.faulty.evm, settlement)];
    const before = await sentBy(s);
    for (const address of [token, settlement]) await setCode(s.faulty.evm, address, '0x');
    const paid = await Promise.all(Array.from({ length: 60 }, (_, i) => s.pay(i % 3, i + 1)));
    await until('it is seen', () => ['no-effect', 'no-contracts'].includes(s.service.readiness.chain));
    await until('the contracts are checked', () => s.service.readiness.chain === 'no-contracts');
    await untilReadyz(s, 503, 'no-contracts');
    const inVain = (await sentBy(s)) - before;
    const looked = s.faulty.proxy.requests;
    await until('the service has looked again', () => s.faulty.proxy.requests > looked + 6);
    assert.equal((await sentBy(s)) - before, inVain, 'nothing more is sent');
    assert.ok(inVain <= 2 * WINDOW, `${inVain} transactions without effect`);
    paid.push(await s.pay(0, 99));
    for (const [i, address] of [token, settlement].entries()) await setCode(s.faulty.evm, address, codes[i]);
    await s.completed(...paid);
    await s.prove();
    const alarms = s.logged.filter(({ message }) => /succeed and do nothing/.test(message));
    assert.deepEqual(
      alarms.map(({ level }) => level),
      ['error'],
    );
  });
});
