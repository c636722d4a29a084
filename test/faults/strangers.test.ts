import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { asAdmin, PAUSE, UNPAUSE } from '../kit/service/admin.ts';
import { holdBack, jumpTheQueue, mineAtBaseFee, STRANGER, useRelayerElsewhere } from '../kit/service/provoking.ts';
import { relayerOf, startScenario } from '../kit/service/scenario.ts';
import { until } from '../kit/unit/until.ts';

describe('strangers', { concurrency: 4 }, () => {
  test('transfers are paid when someone else uses the relayer nonce before we sign', async (t) => {
    const s = await startScenario(t);
    await useRelayerElsewhere(s, 1);
    const paid = await s.pay(0, 25);
    await s.completed(paid);
    assert.notEqual(await s.txHashOf(paid), paid.txHash);
    await s.prove();
  });

  test('transfers are paid when someone else uses the relayer nonce of a transaction in the pool', async (t) => {
    const s = await startScenario(t);
    await s.faulty.stopMining();
    const paid = [await s.pay(0, 10), await s.pay(1, 20), await s.pay(2, 30)];
    await until('they wait', async () => (await s.faulty.waiting()).length === 3);
    holdBack(s);
    await s.faulty.evm.rpc('anvil_dropAllTransactions');
    await s.faulty.sendAs(await relayerOf(s), { to: STRANGER });
    await s.faulty.mine();
    s.faulty.proxy.heal();
    s.faulty.startMining();
    await s.completed(...paid);
    assert.notEqual(await s.txHashOf(paid[0]!), paid[0]!.txHash);
    assert.equal(await s.txHashOf(paid[1]!), paid[1]!.txHash, 'later transfers keep their transactions');
    await s.prove();
  });

  test('a nonce freed by a reorganisation is used again, although fees have risen', async (t) => {
    const s = await startScenario(t, { env: { REPLACE_AFTER_BLOCKS: '3' } });
    const head = async () => Number(await s.faulty.evm.rpc('eth_blockNumber'));
    const before = await head();
    await useRelayerElsewhere(s, 1);
    const paid = await s.pay(0, 25);
    await s.completed(paid);
    await s.calm();
    const [lost] = await s.attemptsOf(paid);
    assert.equal(lost!.status, 'replaced');
    await s.faulty.stopMining();
    await s.faulty.reorganise((await head()) - before);
    // Too high a fee for the old bytes, which all later nonces wait for.
    await until('a further attempt at that nonce is mined', async () => {
      await mineAtBaseFee(s, 150n, 1);
      return (await s.attemptsOf(paid)).some(({ nonce, status }) => nonce === lost!.nonce && status === 'mined');
    });
    s.faulty.startMining();
    await s.completed(paid);
    const attempts = (await s.attemptsOf(paid)).filter(({ nonce }) => nonce === lost!.nonce);
    assert.ok(attempts.find(({ status }) => status === 'mined')!.attempt > lost!.attempt);
    await s.prove();
  });

  test('an authorization that someone else submits first completes the transfer', async (t) => {
    const s = await startScenario(t);
    await s.faulty.stopMining();
    const paid = await s.pay(0, 40);
    const stranger = await jumpTheQueue(s, paid);
    s.faulty.startMining();
    await s.completed(paid);
    assert.equal(await s.txHashOf(paid), stranger);
    await s.prove();
  });

  test('a reverted authorization that a stranger replays completes the transfer', async (t) => {
    const s = await startScenario(t);
    await asAdmin(s, PAUSE);
    const paid = await s.pay(0, 70);
    await until('it reverted', async () => {
      const [first] = await s.attemptsOf(paid);
      return first?.status === 'mined';
    });
    const reverted = (await s.faulty.evm.rpc('eth_getTransactionByHash', [paid.txHash])) as {
      input: string;
      to: string;
    };
    holdBack(s);
    // What we sent before has arrived by then; our next try is the one that is lost.
    await until('ours are held back', () => s.faulty.proxy.struck('lose-call') > 0);
    await s.faulty.stopMining();
    await s.faulty.evm.rpc('anvil_dropAllTransactions');
    await asAdmin(s, UNPAUSE, { wait: false });
    const stranger = await s.faulty.sendAs(STRANGER, { to: reverted.to, data: reverted.input });
    await s.faulty.mine();
    s.faulty.proxy.heal();
    s.faulty.startMining();
    await s.completed(paid);
    assert.equal(await s.txHashOf(paid), stranger);
    await s.prove();
  });
});
