import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { asAddress } from '../../src/base/address.ts';
import { Meters } from '../../src/base/meters.ts';
import type { StoredTransaction } from '../../src/chain/outgoing.ts';
import { connectRpc } from '../../src/chain/rpc.ts';
import { spreadRawTransactions } from '../../src/chain/transaction.ts';
import { readSettings } from '../../src/config/read-settings.ts';
import { openDatabase } from '../../src/db/database.ts';
import { pruneBlocksBelow, readCursor, removeBlocksAbove } from '../../src/ledger/blocks.ts';
import { houseOf } from '../../src/service/house.ts';
import { watchEndpoints } from '../../src/settlement/attach.ts';
import { sendAgain } from '../../src/settlement/broadcast.ts';
import type { Engine } from '../../src/settlement/engine.ts';
import { finalBlock, knownFinalBlock } from '../../src/settlement/finality.ts';
import { followChain } from '../../src/settlement/follow.ts';
import { prepareChain } from '../../src/settlement/prepare-chain.ts';
import { listChainEndpoints, surveyEndpoints } from '../../src/settlement/survey-chain-endpoints.ts';
import { nothingProven } from '../../src/settlement/vouch.ts';
import { createDatabase } from '../kit/service/database.ts';
import { atEnd } from '../kit/unit/at-end.ts';
import { type Branches, hashOf, type ScriptedNode, startScriptedNode } from '../kit/unit/scripted-node.ts';
import { until } from '../kit/unit/until.ts';
import { insertPostingRows } from '../rows/ledger.ts';

const TOKEN = asAddress(`0x${'c'.repeat(40)}`);
const FINAL_AFTER = 4;

/** Follows scripted nodes with a real ledger of empty blocks. */
async function start(t: TestContext, chains: readonly Branches[], env: Record<string, string> = {}) {
  const db = openDatabase(await createDatabase(t));
  atEnd(t, () => db.close());
  const nodes = await Promise.all(chains.map((blocks) => startScriptedNode(t, blocks)));
  const logged: { level: string; message: string; endpoint?: unknown }[] = [];
  const level = (name: string) => (entry: object, message: string) =>
    void logged.push({ level: name, message, ...('endpoint' in entry && { endpoint: entry.endpoint }) });
  const service = {
    db,
    rpc: connectRpc(nodes.map(({ url }) => url)),
    house: houseOf([]),
    settings: readSettings({ FINAL_AFTER: `${FINAL_AFTER}`, ...env }),
    chain: { chainId: 31_337, contracts: { token: TOKEN, settlement: TOKEN }, startBlock: 0n },
    settlement: { head: 0n, final: { number: null, readAt: Number.NEGATIVE_INFINITY, isAsked: false } },
    readiness: {
      chain: 'ok',
      compared: 'done',
      proof: 'node',
      proven: { ...nothingProven(), blooms: true },
      unproven: null,
    },
    meters: new Meters(),
    log: { info: level('info'), warn: level('warn'), error: level('error') },
  } as unknown as Engine;
  const rewinds = () => logged.filter(({ message }) => /reorgani/.test(message)).length;
  const cursor = async () => {
    const block = await readCursor(db);
    return block && { number: Number(block.number), hash: block.hash };
  };
  return {
    nodes,
    service,
    logged,
    rewinds,
    cursor,
    states: () => listChainEndpoints(service).map(({ state }) => state),
    chosen: () => service.rpc.endpoints!.chosen.number,
    /** Follows until there is nothing to do. Of a disagreement, so many rounds decide. */
    async follow(rounds = 6) {
      for (let i = 0; i < rounds; i++) await followChain(service).catch(() => {});
    },
    /** The state of the ledger after following the first endpoint, with all in agreement. */
    async begin() {
      await surveyEndpoints(service);
      await this.follow(2);
      assert.equal(rewinds(), 0);
    },
    at: (node: ScriptedNode, number: number) => ({ number, hash: hashOf(node.blocks, number) }),
  };
}

const A = 'a'.repeat(20);
const refused = (message: string) => ({ error: { code: -32000, message } });

test('an endpoint that lags is left for one that is ahead, and used again when it has caught up', async (t) => {
  const s = await start(t, [A, A]);
  await s.begin();
  const [first, second] = s.nodes as [ScriptedNode, ScriptedNode];
  second.blocks += 'aaa';
  s.service.rpc.endpoints!.choose(s.service.rpc.endpoints!.all[1]!);
  await s.follow();
  const endpoints = s.service.rpc.endpoints!;
  endpoints.choose(endpoints.all[0]!);
  // As if the last look was not a moment ago.
  endpoints.surveyedAt = Number.NEGATIVE_INFINITY;
  await s.follow();
  assert.equal(s.chosen(), 2);
  assert.deepEqual(s.states(), ['behind', 'ok']);
  assert.deepEqual(await s.cursor(), s.at(second, 22));
  first.blocks = `${second.blocks}a`;
  for (let i = 0; i < 5; i++) await surveyEndpoints(s.service);
  assert.equal(s.chosen(), 2, 'it is not used before it has been in order for a while');
  await surveyEndpoints(s.service);
  await s.follow();
  assert.equal(s.chosen(), 1);
  assert.deepEqual(await s.cursor(), s.at(first, 23));
  assert.equal(s.rewinds(), 0);
});

test('an endpoint on another chain or without our contracts is named and never asked for blocks or sent to', async (t) => {
  const s = await start(t, [A, A, A]);
  const [foreign, bare, good] = s.nodes as [ScriptedNode, ScriptedNode, ScriptedNode];
  foreign.chainId = 4242;
  bare.hasContracts = false;
  await surveyEndpoints(s.service);
  assert.deepEqual(s.states(), ['foreign', 'no-contracts', 'ok']);
  assert.deepEqual(
    s.logged.filter(({ level }) => level === 'error').map(({ endpoint }) => endpoint),
    [1, 2],
  );
  const asked = () => foreign.asked.length + bare.asked.length;
  const before = asked();
  await s.follow();
  spreadRawTransactions(s.service.rpc, [Buffer.from('02', 'hex')]);
  good.reachable = false;
  await s.follow(1);
  assert.equal(asked(), before, 'not even while no other endpoint answers');
  good.reachable = true;
  foreign.chainId = 31_337;
  await surveyEndpoints(s.service);
  assert.equal(s.states()[0], 'ok', 'it is looked at again');
});

test('while all endpoints are on another chain or without our contracts, the chain is not in order', async (t) => {
  const s = await start(t, [A, A]);
  const [first, second] = s.nodes as [ScriptedNode, ScriptedNode];
  first.chainId = 4242;
  await watchEndpoints(s.service);
  assert.deepEqual([s.service.readiness.chain, s.chosen()], ['ok', 2]);
  second.reachable = false;
  await watchEndpoints(s.service);
  assert.equal(s.service.readiness.chain, 'ok', 'one that does not answer may be in order');
  second.reachable = true;
  second.hasContracts = false;
  await watchEndpoints(s.service);
  assert.deepEqual([s.service.readiness.chain, s.chosen()], ['no-contracts', 2], 'these can be deployed again');
  second.chainId = 4242;
  await watchEndpoints(s.service);
  assert.equal(s.service.readiness.chain, 'foreign');
});

test('a first start is refused while the endpoints are on different chains', async (t) => {
  const s = await start(t, [A, A]);
  s.nodes[1]!.chainId = 4242;
  const first = prepareChain(s.service, async () => {});
  await assert.rejects(first, /endpoint 2 \(127\.0\.0\.1:\d+\) is on chain 4242, and another on chain 31337/);
});

test('of two endpoints that disagree, the one that has what the ledger has is followed, in either order', async (t) => {
  const s = await start(t, [A, A]);
  await s.begin();
  const [first, second] = s.nodes as [ScriptedNode, ScriptedNode];
  first.blocks = `${A.slice(0, -2)}bbb`;
  second.blocks = `${A}aa`;
  await s.follow();
  assert.deepEqual(await s.cursor(), s.at(second, 21));
  for (let i = 0; i < 5; i++) {
    first.blocks += 'b';
    second.blocks += 'a';
    s.service.rpc.endpoints!.choose(s.service.rpc.endpoints!.all[i % 2]!);
    await s.follow();
  }
  assert.equal(s.rewinds(), 0, 'the ledger does not go back and forth');
  assert.deepEqual(await s.cursor(), s.at(second, 26));
  await surveyEndpoints(s.service);
  assert.deepEqual(s.states(), ['contradicting', 'ok'], 'the fork has become deeper than FINAL_AFTER');
  assert.ok(s.logged.some(({ level, endpoint }) => level === 'error' && endpoint === 1));
});

test('a reorganisation that all endpoints show is followed, no deeper than it is', async (t) => {
  const s = await start(t, [A, A, A]);
  await s.begin();
  for (const [i, node] of s.nodes.entries()) {
    node.blocks = `${A.slice(0, -2)}bbb`;
    await s.follow(3);
    assert.equal(s.rewinds(), i === 0 ? 0 : 1, 'two of three decide');
  }
  assert.deepEqual(await s.cursor(), s.at(s.nodes[0]!, 20));
  assert.ok(!s.logged.some(({ level }) => level === 'error'));
});

test('a node that is stuck on a dead branch is left, though the ledger has followed it', async (t) => {
  const s = await start(t, [A, A]);
  await s.begin();
  s.nodes[0]!.blocks = `${A}a`;
  s.nodes[1]!.blocks = `${A}bbbbb`;
  await s.follow();
  await surveyEndpoints(s.service);
  await s.follow();
  assert.equal(s.rewinds(), 1);
  assert.deepEqual(await s.cursor(), s.at(s.nodes[1]!, 24));
  assert.equal(s.chosen(), 2);
});

test('one endpoint that contradicts final blocks rewinds nothing, not even while the others are away', async (t) => {
  const s = await start(t, [A, A]);
  await s.begin();
  const [first, second] = s.nodes as [ScriptedNode, ScriptedNode];
  first.blocks = `${A.slice(0, 5)}${'b'.repeat(40)}`;
  second.reachable = false;
  await s.follow();
  // So late that nobody waits for the second one any more.
  assert.equal(await surveyEndpoints(s.service, performance.now() + 60_000), 'stay');
  assert.deepEqual(s.states(), ['contradicting', 'unreachable']);
  await s.follow();
  assert.equal(s.rewinds(), 0);
  assert.deepEqual(await s.cursor(), s.at({ ...first, blocks: A }, 19));
  second.reachable = true;
  second.blocks += 'a';
  await surveyEndpoints(s.service);
  await s.follow();
  assert.deepEqual(await s.cursor(), s.at(second, 20));
});

test('an endpoint that is away at the start is waited for before the ledger goes back', async (t) => {
  const s = await start(t, [A, A]);
  const [first, second] = s.nodes as [ScriptedNode, ScriptedNode];
  second.reachable = false;
  await s.begin();
  first.blocks = `${A.slice(0, -2)}bbb`;
  assert.equal(await surveyEndpoints(s.service), 'stay');
  assert.equal(await surveyEndpoints(s.service, performance.now() + 60_000), 'rewind');
});

test('a recent reorganisation does not bring an endpoint into use that contradicts final blocks', async (t) => {
  const s = await start(t, [A, A, A]);
  await s.begin();
  const [first, second, third] = s.nodes as [ScriptedNode, ScriptedNode, ScriptedNode];
  first.blocks = `${A.slice(0, 5)}${'b'.repeat(15)}`;
  await surveyEndpoints(s.service);
  assert.deepEqual([s.states(), s.chosen()], [['contradicting', 'ok', 'ok'], 2]);
  // The second is ahead of the others by a reorganisation of one block, while the third is asked.
  s.service.rpc.endpoints!.choose(s.service.rpc.endpoints!.all[2]!);
  second.blocks = `${A.slice(0, -1)}cc`;
  assert.equal(await surveyEndpoints(s.service), 'stay');
  third.blocks = second.blocks;
  await s.follow();
  assert.deepEqual(await s.cursor(), s.at(third, 20));
  assert.equal(s.rewinds(), 1);
  assert.ok(!s.logged.some(({ message }) => /deeper than FINAL_AFTER/.test(message)));
});

test('the ledger is rewound with an endpoint that has won the vote, not with the one that was asked before', async (t) => {
  const s = await start(t, [A, A, A]);
  await s.begin();
  const [first, second, third] = s.nodes as [ScriptedNode, ScriptedNode, ScriptedNode];
  first.blocks = `${A.slice(0, 5)}${'b'.repeat(15)}`;
  second.blocks = `${A.slice(0, -1)}cc`;
  third.blocks = second.blocks;
  await s.follow(1);
  assert.deepEqual([s.rewinds(), await s.cursor()], [1, s.at(second, 18)]);
});

test('endpoints restored to before the oldest kept block are noticed by the postings', async (t) => {
  const s = await start(t, [A, A]);
  await s.begin();
  const ours = s.at(s.nodes[0]!, 3);
  await insertPostingRows(s.service.db, [
    { blockNumber: ours.number, blockHash: ours.hash, fromAddress: TOKEN, toAddress: TOKEN },
  ]);
  await pruneBlocksBelow(s.service.db, 12n, 100);
  for (const node of s.nodes) node.blocks = A.slice(0, 6);
  assert.equal(await surveyEndpoints(s.service), 'stay', 'a short chain alone proves nothing');
  for (const node of s.nodes) node.blocks = 'aabbbb';
  assert.equal(await surveyEndpoints(s.service), 'rewind');
});

test('more than half of all endpoints may contradict final blocks: the ledger follows them, with an alarm', async (t) => {
  const s = await start(t, [A, A, A]);
  await s.begin();
  s.nodes[0]!.blocks = `${A.slice(0, 5)}${'b'.repeat(20)}`;
  s.nodes[1]!.blocks = `${A.slice(0, 5)}${'b'.repeat(20)}`;
  await s.follow();
  assert.equal(s.rewinds(), 1);
  assert.deepEqual(await s.cursor(), s.at(s.nodes[0]!, 24));
  assert.ok(s.logged.some(({ level, message }) => level === 'error' && /deeper than FINAL_AFTER/.test(message)));
});

test('an endpoint that limits requests is left alone as long as it says, and still gets transactions', async (t) => {
  const s = await start(t, [A, A]);
  await s.begin();
  const [first, second] = s.nodes as [ScriptedNode, ScriptedNode];
  first.refusal = { status: 429, headers: { 'retry-after': '30' }, body: 'Too many requests' };
  first.blocks += 'aa';
  second.blocks += 'aa';
  await s.follow();
  assert.deepEqual(await s.cursor(), s.at(second, 21), 'the other one is read');
  const before = first.asked.length;
  await s.follow();
  await surveyEndpoints(s.service);
  assert.equal(first.asked.length, before);
  assert.deepEqual(s.states(), ['ok', 'ok']);
  second.reachable = false;
  first.refusal = null;
  const [reply] = await s.service.rpc.batch([{ method: 'eth_sendRawTransaction', params: ['0x02'] }]);
  assert.deepEqual([reply?.kind, first.sent], ['result', ['0x02']]);
});

test('an endpoint that does not give the logs of a block is left for another one for a while', async (t) => {
  const s = await start(t, [A, A]);
  await s.begin();
  const [first, second] = s.nodes as [ScriptedNode, ScriptedNode];
  for (const node of [first, second]) {
    node.logsBloom = `0x${'f'.repeat(512)}`;
    node.blocks += 'aa';
    const other = { address: `0x${'e'.repeat(40)}`, topics: [] };
    node.answers.set('eth_getLogs', ([filter]) => ({ result: 'address' in (filter as object) ? [] : [other] }));
  }
  first.answers.set('eth_getLogs', () => refused('Please specify an address in your request'));
  await s.follow();
  assert.deepEqual([s.chosen(), await s.cursor()], [2, s.at(second, 21)]);
  const warning = s.logged.find(({ message }) => /does not do its work/.test(message));
  assert.deepEqual([warning?.level, warning?.endpoint], ['warn', 1]);
  for (let i = 0; i < 11; i++) await surveyEndpoints(s.service);
  assert.equal(s.chosen(), 2);
  await surveyEndpoints(s.service);
  assert.equal(s.chosen(), 1, 'it may have become better');
  first.blocks += 'a';
  await s.follow(1);
  assert.equal(s.chosen(), 2);
  second.answers.set('eth_getLogs', () => refused('Receipt not available'));
  second.blocks += 'a';
  await s.follow(1);
  assert.equal(s.chosen(), 2, 'no other one is better');
});

test('an endpoint that refuses to send is left for another one, but not if the relayer lacks ether', async (t) => {
  const s = await start(t, [A, A]);
  await s.begin();
  const transaction = { raw: Buffer.from('02', 'hex'), nonce: 0n } as unknown as StoredTransaction;
  const [first] = s.nodes as [ScriptedNode];
  for (const [message, chosen] of [
    ['insufficient funds for gas * price + value: have 0 want 21000', 1],
    ['transaction underpriced', 1],
    ['the method eth_sendRawTransaction does not exist/is not available', 2],
  ] as const) {
    first.answers.set('eth_sendRawTransaction', () => refused(message));
    assert.equal((await sendAgain(s.service, TOKEN, [transaction])).count, 1);
    assert.equal(s.chosen(), chosen, message);
  }
});

test('what is sent again goes to all endpoints', async (t) => {
  const s = await start(t, [A, A, A]);
  await s.begin();
  spreadRawTransactions(s.service.rpc, [Buffer.from('02', 'hex')]);
  await until('the others have it', () => s.nodes.slice(1).every(({ sent }) => sent[0] === '0x02'));
  assert.deepEqual(s.nodes[0]!.sent, [], 'the chosen one is sent to by the caller');
});

test('what was final is forgotten when another process has rewound the ledger below it', async (t) => {
  for (const length of [100, 300]) {
    const s = await start(t, ['a'.repeat(200)], { FINAL_AFTER: 'auto' });
    const [node] = s.nodes as [ScriptedNode];
    const follow = async () => {
      // What is final is read in each round, and not every twelve seconds.
      for (let i = 0; i < 6; i++) {
        s.service.settlement.final.readAt = Number.NEGATIVE_INFINITY;
        await s.follow(1);
      }
      return finalBlock(s.service, 500n);
    };
    node.final = 180;
    assert.equal(await follow(), 180n);
    node.blocks = 'a'.repeat(100);
    node.final = 90;
    assert.equal(await follow(), 180n, 'the node only lags behind');
    node.blocks += 'b'.repeat(length - 100);
    await s.service.db.transaction((tx) => removeBlocksAbove(tx, 99n));
    assert.equal(await follow(), 90n);
    assert.equal(s.rewinds(), 0);
  }
});

test('final is what the chain calls so, and not what no node can know or what contradicts an earlier answer', async (t) => {
  const s = await start(t, ['a'.repeat(200)], { FINAL_AFTER: 'auto' });
  const [node] = s.nodes as [ScriptedNode];
  const finalNow = async () => {
    s.service.settlement.final.readAt = Number.NEGATIVE_INFINITY;
    node.blocks += 'a';
    await s.follow();
    const { number } = (await s.cursor())!;
    return Number(finalBlock(s.service, BigInt(number)));
  };
  assert.equal(knownFinalBlock(s.service, 500n), null, 'no node has been asked');
  assert.equal(await finalNow(), 200 - 64, 'without the tag, 64 blocks are');
  assert.equal(knownFinalBlock(s.service, 200n), 136n);
  for (const [said, final] of [
    [150, 150],
    [140, 150],
    [9_999, 150],
    [0, 150],
    [180, 180],
  ] as const) {
    node.final = said;
    assert.equal(await finalNow(), final, `the node says ${said}`);
  }
});

test('of endpoints that have to agree, one with another block than two others is left, and a tie is waited for in red', async (t) => {
  const s = await start(t, [A, A, A]);
  await s.begin();
  s.service.readiness.proof = 'agreement';
  const [first, second, third] = s.nodes as [ScriptedNode, ScriptedNode, ScriptedNode];
  for (const node of s.nodes) node.answers.set('eth_getLogs', () => ({ result: [] }));
  first.blocks += 'b';
  second.blocks += 'a';
  third.blocks += 'a';
  await s.follow(2);
  assert.equal(s.chosen(), 2);
  assert.deepEqual(await s.cursor(), s.at(second, 20), 'two have it');
  assert.deepEqual([s.rewinds(), s.service.readiness.unproven], [0, null]);

  third.reachable = false;
  await surveyEndpoints(s.service);
  first.blocks = `${second.blocks}b`;
  second.blocks += 'a';
  await surveyEndpoints(s.service);
  await s.follow(2);
  assert.deepEqual(await s.cursor(), s.at(second, 20));
  assert.match(s.service.readiness.unproven!.reason, /different blocks 21/);
  first.blocks = second.blocks;
  await s.follow(2);
  assert.deepEqual(await s.cursor(), s.at(second, 21));
  assert.equal(s.service.readiness.unproven, null);
});

test('a header that contradicts the ledger, and does not have its hash, rewinds nothing and is waited for in red', async (t) => {
  for (const proof of ['receipts', 'agreement'] as const) {
    const s = await start(t, [A]);
    await s.begin();
    const before = await s.cursor();
    s.service.readiness.proof = proof;
    const [only] = s.nodes as [ScriptedNode];
    only.answers.set('eth_getBlockByHash', () => ({ result: null }));
    only.blocks = `${A.slice(0, -1)}b`;
    await s.follow(2);
    assert.deepEqual([await s.cursor(), s.rewinds()], [before, 0], proof);
    assert.match(s.service.readiness.unproven!.reason, /hash/, proof);
    only.blocks = A;
    if (proof === 'agreement') {
      await s.follow(2);
      assert.equal(s.service.readiness.unproven, null, 'there is nothing left to wait for');
    }
  }
});
