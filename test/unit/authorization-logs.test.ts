import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asAddress } from '../../src/base/address.ts';
import { USED } from '../../src/chain/block-replies.ts';
import type { Rpc } from '../../src/chain/rpc.ts';
import { readShownAuthorizations } from '../../src/chain/token-logs.ts';

const TOKEN = asAddress(`0x${'7'.repeat(40)}`);
const word = (value: bigint) => `0x${value.toString(16).padStart(64, '0')}`;

type Filter = { fromBlock: string; toBlock: string };

/** A node with a used authorization in every hundredth block, and a limit of blocks for each answer. */
function nodeThatAnswersFor(most: bigint) {
  const asked: bigint[] = [];
  const logs = async (_method: string, [{ fromBlock, toBlock }]: [Filter]) => {
    const count = BigInt(toBlock) - BigInt(fromBlock) + 1n;
    asked.push(count);
    if (count > most) throw new Error('block range is too wide');
    return Array.from({ length: Number(count) }, (_, i) => BigInt(fromBlock) + BigInt(i))
      .filter((block) => block % 100n === 0n)
      .map((block) => ({
        logIndex: '0x0',
        transactionHash: word(block),
        blockHash: word(block),
        blockNumber: `0x${block.toString(16)}`,
        topics: [USED, word(1n), word(block)],
        data: '0x',
      }));
  };
  return { asked, rpc: { call: logs } as unknown as Rpc };
}

async function blocksShown(rpc: Rpc, first: bigint, last: bigint): Promise<bigint[]> {
  const blocks: bigint[] = [];
  for await (const shown of readShownAuthorizations(rpc, TOKEN, first, last)) {
    blocks.push(...shown.map(({ block }) => block));
  }
  return blocks;
}

test('used authorizations are read in block ranges, each block once, smaller where the node refuses', async () => {
  const expected = Array.from({ length: 50 }, (_, i) => BigInt(i + 1) * 100n);
  for (const most of [10_000n, 1_000n, 999n, 7n, 1n]) {
    const { asked, rpc } = nodeThatAnswersFor(most);
    assert.deepEqual(await blocksShown(rpc, 1n, 5_000n), expected);
    assert.ok(
      asked.every((count) => count <= 2_000n),
      'a range never exceeds what most nodes allow',
    );
    assert.ok(asked.filter((count) => count > most).length <= 11, 'what was refused is not tried again');
  }
  assert.deepEqual(await blocksShown(nodeThatAnswersFor(5n).rpc, 5_001n, 5_000n), []);
  await assert.rejects(blocksShown(nodeThatAnswersFor(0n).rpc, 1n, 10n), /too wide/);
});
