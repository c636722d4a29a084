import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Address } from '../../src/base/address.ts';
import { asHash } from '../../src/base/hex.ts';
import type { RpcReply } from '../../src/chain/json-rpc-http.ts';
import type { Rpc } from '../../src/chain/rpc.ts';
import { openWeiReader } from '../../src/chain/wei.ts';

const [A, B] = ['0xaa', '0xbb'] as unknown as [Address, Address];

/** A node whose balances are the number of the batch, and a reader whose clock and block the test sets. */
function startReader() {
  const asked: unknown[][] = [];
  const state = { seconds: 0, head: asHash('0x01'), answers: (_address: unknown): boolean => true };
  let refusals = 0;
  const batch: Rpc['batch'] = async (calls) => {
    if (calls[0]!.method === 'eth_call') {
      refusals++;
      return [{ kind: 'error', code: -32_000, message: 'no such call here' }];
    }
    asked.push(calls.map(({ params }) => params[0]));
    return calls.map(
      ({ params }): RpcReply =>
        state.answers(params[0])
          ? { kind: 'result', result: `0x${asked.length.toString(16)}` }
          : { kind: 'unknown', reason: 'lost' },
    );
  };
  const rpc = { batch } as Rpc;
  return {
    asked,
    state,
    refusals: () => refusals,
    read: openWeiReader(
      rpc,
      () => state.head,
      () => state.seconds,
    ),
  };
}

test('ether is read once for a block, in one batch for all who ask together', async () => {
  const { asked, state, read } = startReader();
  assert.deepEqual(await Promise.all([read(A), read(B), read(A)]), [1n, 1n, 1n]);
  assert.equal(await read(A), 1n);
  state.head = asHash('0x02');
  assert.equal(await read(A), 2n);
  assert.deepEqual(asked, [[A, B], [A]]);
});

test('a node that refuses one call for many is not asked for it again for ten minutes', async () => {
  const { state, read, refusals } = startReader();
  for (const [seconds, asked] of [
    [0, 1],
    [590, 1],
    [600, 2],
  ] as const) {
    state.seconds = seconds;
    await Promise.all([read(A), read(B)]);
    assert.equal(refusals(), asked);
  }
});

test('what a call says inside a chain is not believed if the node says other things outside', async () => {
  const words: Readonly<Record<string, bigint>> = { [A]: 0n, [B]: 5n };
  const batch: Rpc['batch'] = async (calls) =>
    calls.map(({ method, params }): RpcReply => {
      const result =
        method === 'eth_call' ? Object.values(words).map((wei) => wei.toString(16).padStart(64, '0')) : null;
      // Hedera has eight decimals inside.
      return {
        kind: 'result',
        result: result ? `0x${result.join('')}` : `0x${(words[String(params[0])]! * 10n ** 10n).toString(16)}`,
      };
    });
  const read = openWeiReader({ batch } as Rpc, () => null);
  assert.deepEqual(await Promise.all([read(A), read(B)]), [0n, 5n * 10n ** 10n]);
});

test('ether is at most five seconds old', async () => {
  const { state, read } = startReader();
  assert.equal(await read(A), 1n);
  state.seconds = 4.9;
  assert.deepEqual([await read(A), await read(B)], [1n, 2n]);
  state.seconds = 5;
  assert.deepEqual([await read(A), await read(B)], [3n, 4n]);
});

test('a lost answer is asked for once more, and a failure is not kept', async () => {
  const { asked, state, read } = startReader();
  let lost = 1;
  state.answers = (address) => address !== B || lost-- <= 0;
  assert.deepEqual(await Promise.all([read(A), read(B)]), [1n, 2n]);
  assert.deepEqual(asked, [[A, B], [B]]);
  state.head = asHash('0x02');
  lost = 2;
  const [ofA, ofB] = await Promise.allSettled([read(A), read(B)]);
  assert.deepEqual([ofA.status, ofB.status], ['fulfilled', 'rejected']);
  assert.equal(await read(B), 5n);
});
