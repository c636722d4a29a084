import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { asAdmin, PAUSE, UNPAUSE } from '../settlement/admin.ts';
import { type Accepted, eventually, relayerOf, type Scenario, startScenario } from '../settlement/scenario.ts';

const STRANGER = '0x5555555555555555555555555555555555555555';

/** The relayer's key signs `times` transactions elsewhere, which are mined. */
async function useRelayerElsewhere(s: Scenario, times: number): Promise<void> {
  const relayer = await relayerOf(s);
  const before = Number(await s.faulty.evm.rpc('eth_getTransactionCount', [relayer, 'latest']));
  for (let i = 0; i < times; i++) await s.faulty.sendAs(relayer, { to: STRANGER });
  await eventually('the nonces are taken', async () => {
    return Number(await s.faulty.evm.rpc('eth_getTransactionCount', [relayer, 'latest'])) === before + times;
  });
}

/** From now on nothing of ours comes to the node, until the proxy is healed. */
function holdBack({ faulty }: Scenario): void {
  faulty.proxy.inject({ fault: 'lose-call', method: 'eth_sendRawTransaction' });
}

/** With mining stopped: puts a stranger's transaction with our calldata into the pool, in front of ours. */
async function jumpTheQueue(s: Scenario, { txHash }: Accepted): Promise<string> {
  await eventually('our transaction waits', async () => (await s.faulty.waiting()).some(({ hash }) => hash === txHash));
  const ours = (await s.faulty.waiting()).find(({ hash }) => hash === txHash)!;
  const raw = await s.faulty.raw(txHash);
  holdBack(s);
  await s.faulty.evm.rpc('anvil_dropTransaction', [txHash]);
  const hash = await s.faulty.sendAs(STRANGER, { to: ours.to, data: ours.input, gas: 400_000n });
  await s.faulty.evm.rpc('eth_sendRawTransaction', [raw]);
  s.faulty.proxy.heal();
  return hash;
}

describe('strangers', { concurrency: 4 }, () => {
  test('relayer nonce used by someone else before we sign', async (t) => {
    const s = await startScenario(t);
    await useRelayerElsewhere(s, 1);
    const paid = await s.pay(0, 25);
    await s.completed(paid);
    assert.notEqual(await s.txHashOf(paid), paid.txHash);
    await s.prove();
  });

  test('relayer key used elsewhere for eight transactions in a row', async (t) => {
    const s = await startScenario(t);
    await useRelayerElsewhere(s, 8);
    const paid = [await s.pay(0, 25), await s.pay(1, 30)];
    await s.completed(...paid);
    await s.prove();
  });

  test('relayer nonce used by someone else while our transaction waits in the pool', async (t) => {
    const s = await startScenario(t);
    await s.faulty.stopMining();
    const paid = [await s.pay(0, 10), await s.pay(1, 20), await s.pay(2, 30)];
    await eventually('they wait', async () => (await s.faulty.waiting()).length === 3);
    holdBack(s);
    await s.faulty.evm.rpc('anvil_dropAllTransactions');
    await s.faulty.sendAs(await relayerOf(s), { to: STRANGER });
    await s.faulty.mine();
    s.faulty.proxy.heal();
    s.faulty.startMining();
    await s.completed(...paid);
    assert.notEqual(await s.txHashOf(paid[0]!), paid[0]!.txHash);
    assert.equal(await s.txHashOf(paid[1]!), paid[1]!.txHash, 'those behind it keep their transactions');
    await s.prove();
  });

  test('relayer nonce used by someone else, then a reorganisation takes that back', async (t) => {
    const s = await startScenario(t);
    const head = async () => Number(await s.faulty.evm.rpc('eth_blockNumber'));
    const before = await head();
    await useRelayerElsewhere(s, 2);
    const paid = [await s.pay(0, 25), await s.pay(1, 30)];
    await s.completed(...paid);
    await s.faulty.stopMining();
    await s.faulty.reorganise((await head()) - before);
    s.faulty.startMining();
    await s.prove();
  });

  test('someone else submits the authorization first: its log completes the transfer', async (t) => {
    const s = await startScenario(t);
    await s.faulty.stopMining();
    const paid = await s.pay(0, 40);
    const stranger = await jumpTheQueue(s, paid);
    s.faulty.startMining();
    await s.completed(paid);
    assert.equal(await s.txHashOf(paid), stranger);
    await s.prove();
  });

  test('someone else submits a packed transaction first: its logs complete all transfers', async (t) => {
    const s = await startScenario(t, { env: { TRANSFERS_PER_TRANSACTION: '10' } });
    await s.faulty.stopMining();
    // The first group is decided alone, the others share the next.
    const paid = await Promise.all([1, 2, 3, 4, 5].map((amount) => s.pay(amount % 3, amount)));
    const stranger = await jumpTheQueue(s, paid.at(-1)!);
    s.faulty.startMining();
    await s.completed(...paid);
    assert.equal(await s.txHashOf(paid.at(-1)!), stranger);
    await s.prove();
  });

  test('a reverted authorization is replayed by a stranger', async (t) => {
    const s = await startScenario(t);
    await asAdmin(s, PAUSE);
    const paid = await s.pay(0, 70);
    await eventually('it reverted', async () => {
      const [first] = await s.attemptsOf(paid);
      return first?.status === 'mined';
    });
    const reverted = (await s.faulty.evm.rpc('eth_getTransactionByHash', [paid.txHash])) as {
      input: string;
      to: string;
    };
    holdBack(s);
    // What we sent before has arrived by then: the next try of ours is what is lost.
    await eventually('ours are held back', () => s.faulty.proxy.struck('lose-call') > 0);
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
