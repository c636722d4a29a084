import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { startMining } from '../../local/anvil/mining.ts';
import { readInstallation } from '../../src/chain/deployment.ts';
import { connectRpc } from '../../src/chain/rpc.ts';
import { openDatabase } from '../../src/db/database.ts';
import { createDatabase } from '../kit/service/database.ts';
import { startEvm } from '../kit/service/evm.ts';
import { examined, saysOf } from '../kit/service/examined.ts';
import { startTestService } from '../kit/service/service.ts';
import { findSnapshot } from '../kit/service/snapshot.ts';
import { atEnd } from '../kit/unit/at-end.ts';

async function startNode(t: TestContext, ...args: string[]) {
  const evm = await startEvm({ args });
  atEnd(t, () => evm.stop());
  return evm;
}

const LACKS = {
  shanghai: /the chain lacks MCOPY \(Cancun\), which the contracts need\. Nothing was deployed\. Use a chain/i,
  paris: /the chain lacks PUSH0 \(Shanghai\) and MCOPY \(Cancun\), which/i,
  london: /the chain lacks PUSH0 \(Shanghai\) and MCOPY \(Cancun\), which/i,
};

describe('the first deployment', { concurrency: 4 }, () => {
  for (const [hardfork, words] of Object.entries(LACKS)) {
    test(`a chain with the rules of ${hardfork} is refused before anything is deployed, and doctor says so`, async (t) => {
      const evm = await startNode(t, '--hardfork', hardfork);
      const databaseUrl = await createDatabase(t);
      const chain = { evm, rpcUrls: [evm.url] };
      await assert.rejects(startTestService(t, { databaseUrl, chain }), words);
      assert.equal(await evm.rpc('eth_blockNumber'), '0x0');
      const db = openDatabase(databaseUrl);
      atEnd(t, () => db.close());
      assert.equal(await readInstallation(db), null, 'the database can be used with another chain');
      const findings = await examined(t, { DATABASE_URL: databaseUrl, CHAIN_RPC_URL: evm.url });
      assert.match(saysOf(findings, 'Contracts'), /^bad: The chain lacks .*MCOPY \(Cancun\)[^.]*\. Use a chain that/);
    });
  }

  test('doctor names the missing rules, not another node, once an earlier start has prepared the deployment', async (t) => {
    const snapshot = findSnapshot();
    if (!snapshot) return t.skip('there is no snapshot');
    const evm = await startNode(t, '--hardfork', 'shanghai');
    const databaseUrl = await createDatabase(t, snapshot.database);
    const findings = await examined(t, { DATABASE_URL: databaseUrl, CHAIN_RPC_URL: evm.url });
    assert.match(
      saysOf(findings, 'Contracts'),
      /^bad: The chain lacks MCOPY \(Cancun\)[^.]*\. Use a chain that[^\n]*$/,
    );
  });

  test('a deployment that is mined and reverts ends the start with a sentence, and doctor says what to do', async (t) => {
    const evm = await startNode(t, '--no-mining');
    const mining = startMining(connectRpc([evm.url]), 40);
    atEnd(t, () => mining.stop());
    // The deployment's gas limit is lowered to that of a block, which is too little for it.
    await evm.rpc('anvil_setBlockGasLimit', ['0x16e360']);
    await mining.alone(() => evm.rpc('evm_mine'));
    const databaseUrl = await createDatabase(t);
    const chain = { evm, rpcUrls: [evm.url] };
    await assert.rejects(
      startTestService(t, { databaseUrl, chain }),
      /^Error: The contracts were not created: transaction 0x[0-9a-f]{64} reverted in block \d+\. They can never be at/,
    );
    const findings = await examined(t, { DATABASE_URL: databaseUrl, CHAIN_RPC_URL: evm.url });
    assert.match(
      saysOf(findings, 'Contracts'),
      /^bad: The contracts’ deployment was mined and created nothing\. .*empty/,
    );
  });
});
