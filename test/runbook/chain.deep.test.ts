import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startEvm } from '../kit/service/evm.ts';
import { atEnd } from '../kit/unit/at-end.ts';
import { skipWithout } from '../kit/unit/debian-packages.ts';
import { startFaultProxy } from '../kit/unit/fault-proxy.ts';
import { openRunbook, WITHIN_MS } from './stage.ts';

test('the alerts of the chain fire, and are over when their paragraphs were followed', {
  skip: skipWithout('prometheus'),
  timeout: WITHIN_MS,
}, async (t) => {
  const s = await openRunbook(t, { LOW_GAS_TRANSACTIONS: '50', MAX_BACKLOG: '10', AUDIT_EVERY_SECONDS: '0' });
  const { world, node } = s;

  await t.test('QuartersChainDown: payments are accepted, wait, and are sent when a node answers', async () => {
    node.reachable = false;
    await s.fires('QuartersChainDown');
    assert.equal(await s.pay(), 200);
    node.reachable = true;
    await s.resolves('QuartersChainDown');
    await world.settled();
  });

  await t.test('QuartersChainNotAttached: /readyz says that it is another chain', async () => {
    const other = await startEvm({ args: ['--chain-id', '5'] });
    atEnd(t, () => other.stop());
    node.target(other.url);
    await s.fires('QuartersChainNotAttached');
    const ready = await fetch(`${s.service().origin}/readyz`);
    assert.match(await ready.text(), /"chain":"foreign"/);
    node.target(world.evm.url);
    await s.resolves('QuartersChainNotAttached');
  });

  await t.test(
    'QuartersTransfersStuck, QuartersNothingCompletes and QuartersBacklogFull: the list shows what waits for a block',
    async () => {
      await world.mine(false);
      const answers = await Promise.all(Array.from({ length: 9 }, () => s.pay()));
      assert.deepEqual(new Set(answers), new Set([200]));
      await s.fires('QuartersBacklogFull');
      await s.fires('QuartersTransfersStuck');
      await s.fires('QuartersNothingCompletes');
      assert.match(await s.quarters('transfers', 'list', '--older-than', '1s'), /submitted/);
      await world.mine(true);
      await s.resolves('QuartersTransfersStuck');
      await s.resolves('QuartersNothingCompletes');
      await s.resolves('QuartersBacklogFull');
      assert.equal(await s.pay(), 200);
    },
  );

  await t.test('QuartersFollowerLags: the follower continues when the database lets it', async () => {
    const db = await s.db();
    await db.transaction(async (tx) => {
      await tx.query(`SELECT pg_advisory_xact_lock(hashtext('quarters.follow'))`);
      for (let block = 0; block < 25; block++) await world.evm.rpc('evm_mine');
      await s.fires('QuartersFollowerLags');
    });
    await s.resolves('QuartersFollowerLags');
  });

  await t.test('QuartersLoopFails: health has the words of the node that takes no transaction', async () => {
    node.pool = () => ({ refuses: 'transaction type not supported' });
    assert.equal(await s.pay(), 200);
    await s.fires('QuartersLoopFails');
    assert.match(await s.quarters('health'), /Sending transactions has failed [\s\S]*transaction type not supported/);
    node.pool = null;
    await s.resolves('QuartersLoopFails');
    await world.settled();
  });

  await t.test('QuartersReorganised: what was taken back is sent again', async () => {
    assert.equal(await s.pay(), 200);
    await world.settled();
    await world.evm.rpc('anvil_reorg', [2, []]);
    await s.fires('QuartersReorganised');
    await world.settled();
    await s.resolves('QuartersReorganised');
  });

  await t.test('QuartersGasLow and QuartersGasEmpty: payments wait, and go when ether was sent', async () => {
    const [relayer] = await s.relayers();
    const give = (wei: bigint) => world.evm.rpc('anvil_setBalance', [relayer, `0x${wei.toString(16)}`]);
    await give(10n ** 16n);
    await s.fires('QuartersGasLow');
    await give(0n);
    await s.fires('QuartersGasEmpty');
    assert.equal(await s.pay(), 200);
    assert.match(s.service().output(), new RegExp(`gas is empty[^]*${relayer}|${relayer}[^]*gas is empty`));
    await give(10n ** 20n);
    await s.resolves('QuartersGasEmpty');
    await s.resolves('QuartersGasLow');
    await world.settled();
  });

  await t.test('QuartersChainEndpointDown: payments continue with the other endpoint', async () => {
    const second = await startFaultProxy(t, world.evm.url);
    await s.restart({ CHAIN_RPC_URL: `${node.url},${second.url}` });
    second.reachable = false;
    await s.fires('QuartersChainEndpointDown');
    assert.ok(!(await s.active()).includes('QuartersChainDown'));
    assert.equal(await s.pay(), 200);
    await world.settled();
    assert.match(await s.quarters('health'), new RegExp(`${new URL(second.url).host}: does not answer`));
    second.reachable = true;
    await s.resolves('QuartersChainEndpointDown');
  });
});
