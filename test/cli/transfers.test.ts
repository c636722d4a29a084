import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { runCli } from '../../src/cli/run.ts';
import { HOUSE } from '../kit/service/house.ts';
import { mineAtBaseFee, STRANGER } from '../kit/service/provoking.ts';
import { relayerOf, startScenario } from '../kit/service/scenario.ts';
import { until } from '../kit/unit/until.ts';

type Shown = {
  readonly id: string;
  readonly status: string;
  readonly txId: string;
  readonly transactions: readonly {
    readonly hash: string;
    readonly status: string;
    readonly minedBlock: number | null;
  }[];
};

test('transfers show: a transfer is found by the hash of any transaction that ever carried it', async (t) => {
  const s = await startScenario(t, { env: { REPLACE_AFTER_BLOCKS: '2' } });
  const { evm, proxy } = s.faulty;
  const isKnown = async (hash: string) => (await evm.rpc('eth_getTransactionByHash', [hash])) !== null;
  const waits = (hash: string) => async () => (await s.faulty.waiting()).some((waiting) => waiting.hash === hash);
  async function run(...args: string[]) {
    const [out, err] = [new PassThrough(), new PassThrough()];
    const connect = async () => ({ service: s.service, close: async () => {} });
    const nothing = { start: async () => {}, migrate: async () => ({ applied: [] }) };
    const code = await runCli({ house: () => HOUSE, ...nothing, connect, out, err }, ['transfers', 'show', ...args]);
    out.end();
    err.end();
    return { code, out: await text(out), err: await text(err) };
  }
  async function show(key: string): Promise<Shown> {
    const { code, out, err } = await run(key, '--json');
    assert.deepEqual([code, err], [0, '']);
    const { transfers } = JSON.parse(out) as { transfers: Shown[] };
    assert.equal(transfers.length, 1);
    return transfers[0]!;
  }

  const first = await s.pay(0, 10);
  await s.completed(first);

  await t.test('an open transaction is found without the node', async () => {
    await s.faulty.stopMining();
    const paid = await s.pay(0, 20);
    await until('it waits', waits(paid.txHash));
    proxy.reachable = false;
    await until('it is recorded as sent', async () => (await show(paid.txHash)).status === 'submitted');
    const { id, txId, transactions } = await show(paid.txHash);
    assert.deepEqual([id, txId], [paid.transferId, paid.txHash]);
    assert.deepEqual(
      transactions.map(({ hash, status, minedBlock }) => ({ hash, status, minedBlock })),
      [{ hash: paid.txHash, status: 'sent', minedBlock: null }],
    );
    proxy.reachable = true;
    s.faulty.startMining();
    await s.completed(paid);
  });

  await t.test('a mined one is looked up at the node, in upper case too', async () => {
    const { id, status, transactions } = await show(`0x${first.txHash.slice(2).toUpperCase()}`);
    assert.deepEqual([id, status], [first.transferId, 'completed']);
    assert.deepEqual(
      transactions.map(({ hash, status, minedBlock }) => ({ hash, status, isMined: minedBlock !== null })),
      [{ hash: first.txHash, status: 'mined', isMined: true }],
    );
    const { out } = await run(first.txHash);
    assert.match(out, new RegExp(`^Transfer +${first.transferId}\nStatus +completed in block \\d+\n`));
    assert.match(out, new RegExp(`\n${first.txHash} +mined +\\d+ `));
  });

  await t.test('if the node is down, the command says so and what works instead', async () => {
    proxy.reachable = false;
    assert.deepEqual(await run(first.txHash), {
      code: 1,
      out: '',
      err:
        'The chain node does not answer, and a mined transaction is looked up there. ' +
        'Try again, or use the id of the transfer or request.\n',
    });
    for (const id of [first.transferId, first.requestId]) assert.equal((await show(id)).id, first.transferId);
    proxy.reachable = true;
  });

  await t.test('one that a further attempt replaced, which the node does not know', async () => {
    await s.faulty.stopMining();
    const paid = await s.pay(0, 30);
    await until('it waits', waits(paid.txHash));
    await until('it is replaced', async () => {
      await mineAtBaseFee(s, 150n, 1);
      return !(await isKnown(paid.txHash));
    });
    s.faulty.startMining();
    await s.completed(paid);
    const { id, txId, transactions } = await show(paid.txHash);
    assert.equal(id, paid.transferId);
    assert.deepEqual([transactions[0]!.hash, transactions[0]!.status], [paid.txHash, 'replaced']);
    assert.deepEqual(
      transactions.flatMap(({ hash, status }) => (status === 'mined' ? [hash] : [])),
      [txId],
    );
    assert.deepEqual(await show(txId), await show(paid.txHash));
  });

  await t.test('one whose nonce another transaction used, which itself carries nothing', async () => {
    const relayer = await relayerOf(s);
    const elsewhere = await s.faulty.sendAs(relayer, { to: STRANGER });
    await until('it is mined', async () => (await evm.rpc('eth_getTransactionReceipt', [elsewhere])) !== null);
    const paid = await s.pay(0, 40);
    await s.completed(paid);
    const { id, txId, transactions } = await show(paid.txHash);
    assert.equal(id, paid.transferId);
    assert.notEqual(txId, paid.txHash);
    assert.deepEqual(
      transactions.map(({ hash, status }) => [hash, status]),
      [
        [paid.txHash, 'replaced'],
        [txId, 'mined'],
      ],
    );
    assert.deepEqual(await run(elsewhere), { code: 3, out: '', err: `No transfer found for ${elsewhere}.\n` });
  });
});
