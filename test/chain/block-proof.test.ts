import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hashHeader, type RawFields, type RawReceipt, rootOfReceipts } from '../../src/chain/block-proof.ts';
import { startEvm } from '../kit/service/evm.ts';
import { atEnd } from '../kit/unit/at-end.ts';

/** Creation code with two logs (LOG2 of one byte, LOG1 of none), and one that reverts. */
const [LOGS, REVERTS] = ['0x6001600260015fa260035f5fa100', '0x5f5ffd'];

/** Around these numbers the keys of the trie, and so its form, change. */
const COUNTS = [0, 1, 2, 16, 17, 127, 128, 129, 257];

test('header and receipts of real blocks have the hash and the root that the node gives, in every form', async (t) => {
  const { rpc, stop } = await startEvm({ args: ['--no-mining'] });
  atEnd(t, stop);
  const [from] = (await rpc('eth_accounts')) as [string];
  for (const count of COUNTS) {
    for (let i = 0; i < count; i++) {
      const call = i % 5 === 0 ? { data: i % 2 === 0 ? LOGS : REVERTS } : { to: from };
      // Transactions of two types.
      const price = i % 3 === 0 ? { gasPrice: '0xee6b2800' } : {};
      await rpc('eth_sendTransaction', [{ from, gas: '0x186a0', ...call, ...price }]);
    }
    await rpc('evm_mine');
    const header = (await rpc('eth_getBlockByNumber', ['latest', false])) as RawFields;
    const receipts = (await rpc('eth_getBlockReceipts', ['latest'])) as RawReceipt[];
    assert.equal(receipts.length, count);
    assert.equal(hashHeader(header), header.hash);
    assert.equal(rootOfReceipts(receipts), header.receiptsRoot, `${count} receipts`);
  }
});
