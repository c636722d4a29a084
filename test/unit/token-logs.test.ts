import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asAddress } from '../../src/base/address.ts';
import { asHash } from '../../src/base/hex.ts';
import { rootOfReceipts } from '../../src/chain/block-proof.ts';
import { USED } from '../../src/chain/block-replies.ts';
import { type BlockHeader, vouchFor } from '../../src/chain/blocks.ts';
import { bloomOf } from '../../src/chain/logs-bloom.ts';
import { readInThread } from '../../src/chain/read-in-thread.ts';
import { connectRpc } from '../../src/chain/rpc.ts';
import { proveTokenLogs, readLogsOfReceipts, readTokenLogs } from '../../src/chain/token-logs.ts';
import { startScriptedNode } from '../kit/unit/scripted-node.ts';

const TOKEN = asAddress(`0x${'7'.repeat(40)}`);
const HASH = asHash(`0x${'1'.repeat(64)}`);
/** Its bloom says that it may hold every log. */
const HEADER = {
  number: 5n,
  hash: HASH,
  baseFeePerGas: 1n,
  gasLimit: 30_000_000n,
  saidFields: { logsBloom: `0x${'f'.repeat(512)}`, parentHash: `0x${'2'.repeat(64)}` },
} satisfies BlockHeader;

const other = { address: `0x${'e'.repeat(40)}`, topics: [USED] };
const ours = { address: TOKEN.toUpperCase().replace('0X', '0x'), topics: [USED] };
const receipt = (...logs: object[]) => ({ blockHash: HASH, logs });

test('an empty answer for the logs of the token is believed only if the block has other logs', async (t) => {
  for (const [name, allLogs, receipts, expected] of [
    ['other logs', [other], null, 'none'],
    ['no logs at all', [], null, 'refused'],
    ['logs of the token', [other, ours], null, 'refused'],
    ['a provider that wants an address, receipts with other logs', null, [receipt(), receipt(other)], 'none'],
    ['a provider that wants an address, receipts with logs of the token', null, [receipt(other, ours)], 'refused'],
    ['a provider that wants an address, receipts without logs', null, [receipt()], 'refused'],
    [
      'a provider that wants an address, receipts of another block',
      null,
      [{ blockHash: USED, logs: [other] }],
      'refused',
    ],
    ['a provider that wants an address, and gives no receipts', null, null, 'refused'],
  ] as const) {
    const node = await startScriptedNode(t, 'a');
    node.answers.set('eth_getLogs', ([filter]) => {
      if ((filter as { address?: string }).address) return { result: [] };
      const error = { code: -32701, message: 'Please specify an address in your request' };
      return allLogs ? { result: allLogs } : { error };
    });
    if (receipts) node.answers.set('eth_getBlockReceipts', () => ({ result: receipts }));
    const found = await readTokenLogs(connectRpc([node.url]), HEADER, TOKEN).then(
      (logs) => (logs.length === 0 ? 'none' : 'some'),
      () => 'refused',
    );
    assert.equal(found, expected, name);
  }
});

test('a bloom of another block, and a node that gives no logs, are overcome by what the receipts say', async (t) => {
  const hash = `0x${'c'.repeat(64)}`;
  const receiptWith = (...logs: object[]) => ({
    ...receipt(...logs.map((log) => ({ ...log, logIndex: '0x0', transactionHash: hash, blockHash: HASH }))),
    transactionHash: hash,
    logsBloom: bloomOf(logs as never),
  });
  const used = { ...ours, topics: [USED, `0x${'a'.repeat(64)}`, `0x${'b'.repeat(64)}`], data: '0x' };
  for (const [name, transactions, logs, receipts, expected] of [
    ['an empty block', [], [], [], []],
    ['a block without logs', [hash], [], [receiptWith()], []],
    ['a log that is left out', [hash], [], [receiptWith(used)], 'Unproven'],
    ['no logs at all, as a policy', [hash], null, [receiptWith(used)], ['used']],
    ['no logs, as a policy, and none there', [], null, [], []],
    ['neither logs nor receipts', [hash], null, null, 'RpcError'],
  ] as const) {
    const node = await startScriptedNode(t, 'a');
    const refused = { error: { code: -32_005, message: 'limit exceeded' } };
    node.answers.set('eth_getLogs', () => (logs ? { result: logs } : refused));
    node.answers.set('eth_getBlockReceipts', () => (receipts ? { result: receipts } : refused));
    node.answers.set('eth_getTransactionReceipt', () => ({ result: receipts?.[0] ?? null }));
    const header = { ...HEADER, saidFields: { ...HEADER.saidFields, transactions, gasUsed: '0x0' } };
    const found = await readTokenLogs(connectRpc([node.url]), header, TOKEN).then(
      (some) => some.map(({ kind }) => kind),
      (error: Error) => error.name,
    );
    assert.deepEqual(found, expected, name);
  }
});

/** Makes a reply so large that a thread reads it. */
const LARGE = 'x'.repeat(200_000);

test('only what the root of a header covers is a proven log, however it is written, and nothing else of it is lost', async (t) => {
  const log = { address: TOKEN, topics: [USED, `0x${'a'.repeat(64)}`, `0x${'b'.repeat(64)}`], data: '0x' } as const;
  const receiptOf = (logs: readonly object[]) => {
    const result = {
      type: '0x2',
      status: '0x1',
      cumulativeGasUsed: '0x5208',
      logsBloom: HEADER.saidFields.logsBloom as `0x${string}`,
      logs,
    } as const;
    return { ...result, blockHash: HASH, transactionHash: `0x${'c'.repeat(64)}` } as const;
  };
  const block = [receiptOf([log]), receiptOf([log, { ...log, address: other.address }, log])] as const;
  const header = vouchFor({
    ...HEADER,
    saidFields: { ...HEADER.saidFields, receiptsRoot: rootOfReceipts(block as never) },
  });
  const inCapitals = JSON.parse(
    JSON.stringify(block).replaceAll(/0x([ab7]+|98de\w+)"/g, (value) => `0x${value.slice(2).toUpperCase()}`),
  );
  for (const [name, receipts, expected] of [
    ['all receipts', block, [0, 1, 3]],
    ['digits in capitals', inCapitals, [0, 1, 3]],
    ['a state sync, which the root does not cover', [...block, { ...receiptOf([log]), gasUsed: '0x0' }], [0, 1, 3]],
    ['a receipt more', [...block, receiptOf([log])], 'Unproven'],
    ['a receipt less', block.slice(1), 'Unproven'],
    ['a log less', [block[0], receiptOf([log])], 'Unproven'],
    [
      'an address that is written in another way',
      [receiptOf([{ ...log, address: TOKEN.replace('0x', 'zz') }]), block[1]],
      'Unproven',
    ],
    ['a receipt without its logs', [{ ...block[0], logs: undefined }, block[1]], 'Unproven'],
    ['receipts of another block', block.map((one) => ({ ...one, blockHash: USED })), 'Error'],
    ['none', null, 'Error'],
  ] as const) {
    const node = await startScriptedNode(t, 'a');
    for (const padding of ['', LARGE]) {
      node.answers.set('eth_getBlockReceipts', () => ({ result: receipts, padding }));
      const found = await proveTokenLogs(connectRpc([node.url]), header, TOKEN, true).then(
        (logs) => logs.map(({ logIndex }) => logIndex),
        (error: Error) => error.name,
      );
      assert.deepEqual(found, expected, `${name}${padding && ', in a large reply'}`);
    }
  }
});

test('a thread reads large replies as this one reads small ones: many logs, one twice, two at one place, errors', async (t) => {
  const log = (logIndex: number, nonce = 'b') => ({
    ...{ address: TOKEN, topics: [USED, `0x${'a'.repeat(64)}`, `0x${nonce.repeat(64)}`], data: '0x' },
    ...{ logIndex: `0x${logIndex.toString(16)}`, transactionHash: `0x${'c'.repeat(64)}`, blockHash: HASH },
  });
  const many = Array.from({ length: 1_000 }, (_, i) => log(i)).reverse();
  const node = await startScriptedNode(t, 'a');
  for (const [name, answer, expected] of [
    ['many, in another order', { result: many }, 1_000],
    ['one twice', { result: [...many, log(7)] }, 1_000],
    ['two at one place', { result: [...many, log(7, 'd')] }, 'Unproven: two logs have the same place 7'],
    [
      'of another block',
      { result: [{ ...log(0), blockHash: USED }] },
      'Error: The node answered with logs of another block',
    ],
    ['an id as a text', { result: many, id: '1' }, 1_000],
    ['no list', { result: 7 }, /^TypeError|Error: /],
  ] as const) {
    for (const padding of ['', LARGE]) {
      node.answers.set('eth_getLogs', () => ({ ...answer, padding }));
      const found = await readTokenLogs(connectRpc([node.url]), HEADER, TOKEN).then(
        (logs) => (logs.every(({ logIndex }, i) => logIndex === i) ? logs.length : 'not in order'),
        (error: Error) => `${error.name}: ${error.message}`,
      );
      if (expected instanceof RegExp) assert.match(String(found), expected, name);
      else assert.equal(found, expected, `${name}${padding && ', in a large reply'}`);
    }
  }
  const reading = { of: 'logs', token: TOKEN, number: 5n, hash: HASH, receiptsRoot: null } as const;
  const body = Buffer.from(JSON.stringify({ id: 3, result: many }));
  assert.equal((await (await readInThread(body, 3, reading))!.logs()).given, 1_000);
  assert.equal(await readInThread(body, 4, reading), null, 'the reply to another call');
  assert.equal(await readInThread(Buffer.from(LARGE), 3, reading), null, 'no JSON');
});

test('one endpoint alone gives a receipt for each transaction, in whatever way it can', async (t) => {
  const [first, second] = [asHash(`0x${'c'.repeat(64)}`), asHash(`0x${'d'.repeat(64)}`)];
  const log = {
    address: TOKEN,
    topics: [USED, `0x${'a'.repeat(64)}`, `0x${'b'.repeat(64)}`],
    data: '0x',
    blockHash: HASH,
    transactionHash: second,
    logIndex: '0x0',
  };
  const empty = { blockHash: HASH, transactionHash: first, logs: [], logsBloom: bloomOf([]) };
  const full = { blockHash: HASH, transactionHash: second, logs: [log], logsBloom: bloomOf([log]) };
  const both = [first, second];
  for (const [name, fields, receipts, alone, expected] of [
    ['all at once', { transactions: both }, [empty, full], [], 1],
    ['one by one, if the node refuses all at once', { transactions: both }, null, [empty, full], 1],
    ['one by itself that lacks a log of its bloom', { transactions: both }, [empty, { ...full, logs: [] }], [full], 1],
    ['one by itself that is missing', { transactions: both }, [empty], [full], 1],
    ['one of which the header does not tell', { transactions: [first] }, [empty, full], [], 1],
    ['none of one transaction', { transactions: both }, [empty], [], 'Unproven'],
    ['of another block', { transactions: both }, null, [empty, { ...full, blockHash: USED }], 'Error'],
    ['none, of an empty block', { transactions: [], gasUsed: '0x0' }, null, [], 0],
    ['none, though gas was used', { transactions: [], gasUsed: '0x5208' }, [], [], 'Unproven'],
    ['none, without a list of transactions', {}, [empty, full], [], 'Unproven'],
  ] as const) {
    const node = await startScriptedNode(t, 'a');
    node.answers.set('eth_getBlockReceipts', () =>
      receipts ? { result: receipts } : { error: { code: -32601, message: 'the method does not exist' } },
    );
    node.answers.set('eth_getTransactionReceipt', ([hash]) => {
      return { result: alone.find(({ transactionHash }) => transactionHash === hash) ?? null };
    });
    const header = { ...HEADER, saidFields: fields };
    const found = await readLogsOfReceipts(connectRpc([node.url]), header, TOKEN).then(
      ({ length }) => length,
      (error: Error) => error.name,
    );
    assert.equal(found, expected, name);
  }
});
