import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asAddress } from '../../src/base/address.ts';
import { asHash } from '../../src/base/hex.ts';
import { newTransferId } from '../../src/base/ids.ts';
import { Meters } from '../../src/base/meters.ts';
import type { Rpc } from '../../src/chain/rpc.ts';
import { formerNonce } from '../../src/chain/token.ts';
import { readSettings } from '../../src/config/read-settings.ts';
import { type Database, openDatabase } from '../../src/db/database.ts';
import { payUser } from '../../src/features/payments/pay-user.ts';
import { pruneBlocksBelow, readCursor } from '../../src/ledger/blocks.ts';
import { houseOf } from '../../src/service/house.ts';
import type { Service } from '../../src/service/service.ts';
import type { Engine } from '../../src/settlement/engine.ts';
import { CHUNK, followChain } from '../../src/settlement/follow.ts';
import { postEmptyBlocks, postLogs } from '../../src/settlement/post.ts';
import { compareAgain } from '../../src/settlement/readiness.ts';
import { findFaultyBlocks } from '../../src/settlement/repair.ts';
import { rewindLedger } from '../../src/settlement/rewind.ts';
import { nothingProven } from '../../src/settlement/vouch.ts';
import { assertLedgerIsChain } from '../kit/service/audit.ts';
import { createDatabase } from '../kit/service/database.ts';
import { startTestService } from '../kit/service/service.ts';
import { atEnd } from '../kit/unit/at-end.ts';
import { asApp } from '../kit/unit/callers.ts';
import { until } from '../kit/unit/until.ts';
import { insertAppRow } from '../rows/apps.ts';
import { insertAccountRows } from '../rows/ledger.ts';
import { insertTransferRows } from '../rows/transfers.ts';

const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const USED = '0x98de503528ee59b575ef0c0a2576a82497bfc029a5685b209e9ec333479b10a5';

const word = (value: number | bigint) => asHash(`0x${BigInt(value).toString(16).padStart(64, '0')}`);
const address = (value: number) => asAddress(`0x${value.toString(16).padStart(40, '0')}`);
const topic = (of: string) => `0x${of.slice(2).padStart(64, '0')}`;

async function emptyDatabase(t: Parameters<typeof createDatabase>[0]): Promise<Database> {
  const db = openDatabase(await createDatabase(t));
  atEnd(t, () => db.close());
  return db;
}

/** The parts of a service that following the chain needs. */
function follower(db: Database, startBlock: bigint, rpc: Partial<Rpc>): Service {
  return {
    db,
    rpc,
    house: houseOf([]),
    settings: readSettings({}),
    chain: { contracts: { token: address(0xc0ffee) }, startBlock },
    settlement: { final: { number: null, readAt: 0 } },
    readiness: {
      chain: 'ok',
      compared: 'done',
      proof: 'node',
      proven: { ...nothingProven(), blooms: true },
      unproven: null,
    },
    meters: new Meters(),
    log: { info() {}, warn() {}, error() {} },
  } as unknown as Service;
}

const PAYER = address(0xaaa);
const PAYEE = address(0xbbb);

/**
 * Follows a block with the logs of so many payments of the payer's whole balance, and `later` empty blocks. Resolves to what the payer could
 * spend, and the postings, after each transaction. `shift`: the process ends after the first of them, and the next one is told that each log
 * has a place so much further on.
 */
async function followPayments(
  t: Parameters<typeof createDatabase>[0],
  { payments, later = 0, shift }: { readonly payments: number; readonly later?: number; readonly shift?: number },
): Promise<{ readonly free: bigint; readonly postings: bigint }[]> {
  const db = await emptyDatabase(t);
  const appId = 'a'.repeat(20);
  await insertAppRow(db, appId);
  const ofApp = { kind: 'app', appId, sealedKey: new Uint8Array(1) } as const;
  await insertAccountRows(db, [{ ...ofApp, address: PAYER, posted: 5 * payments, held: 5 * payments }]);
  const ids = Array.from({ length: payments }, () => newTransferId());
  await insertTransferRows(
    db,
    ids.map((id) => ({ id, fromAddress: PAYER, toAddress: PAYEE, amount: 5, txHash: word(1), relayer: address(9) })),
  );

  let shifted = Math.max(0, -(shift ?? 0));
  const logs: { readonly place: number; readonly [field: string]: unknown }[] = [];
  const add = (tx: number, topics: string[], data: string) =>
    logs.push({
      place: logs.length,
      transactionHash: word(tx),
      blockHash: word(0xb10c),
      address: address(0xc0ffee),
      topics,
      data,
    });
  // A stranger's plain transfer shifts the pairs, so that the chunk's end falls between the two logs of one payment.
  add(999, [TRANSFER, topic(address(1)), topic(address(2))], word(1));
  ids.forEach((id, i) => {
    add(1000 + i, [USED, topic(PAYER), formerNonce(id)], '0x');
    add(1000 + i, [TRANSFER, topic(PAYER), topic(PAYEE)], word(5));
  });
  const headers = Array.from({ length: 1 + later }, (_, n) => ({
    number: `0x${n.toString(16)}`,
    hash: word(0xb10c + n),
    parentHash: n === 0 ? word(0) : word(0xb10c + n - 1),
    baseFeePerGas: '0x1',
    gasLimit: '0x1',
    logsBloom: `0x${(n === 0 ? 'f' : '0').repeat(512)}`,
  }));
  const looks: { free: bigint; postings: bigint }[] = [];
  let endsAfter = shift === undefined ? Number.POSITIVE_INFINITY : 1;
  const watched: Database = {
    ...db,
    async transaction(work) {
      if (looks.length >= endsAfter) throw new Error('the process has ended');
      const result = await db.transaction(work);
      const [look] = await db.query<{ free: bigint; postings: bigint }>(
        'SELECT posted - held AS free, (SELECT count(*) FROM postings) AS postings FROM accounts WHERE address = $1',
        [PAYER],
      );
      looks.push(look!);
      return result;
    },
  };
  const placed = () => logs.map((log) => ({ ...log, logIndex: `0x${(log.place + shifted).toString(16)}` }));
  const call = async (method: string) => (method === 'eth_getLogs' ? placed() : headers.at(-1)) as never;
  const batch: Rpc['batch'] = async () => headers.map((result) => ({ kind: 'result', result }));
  const service = follower(watched, 0n, { call, batch });
  if (shift !== undefined) {
    await assert.rejects(followChain(service), /ended/);
    endsAfter = Number.POSITIVE_INFINITY;
    shifted += shift;
  }
  await followChain(service);
  const { faulty } = await findFaultyBlocks(service as Engine, 0n);
  assert.deepEqual(faulty, []);
  return looks;
}

// With two logs each, and a stranger's, these need two chunks.
const TWO_CHUNKS = CHUNK / 2 + 20;

test('a block posted in chunks never frees quarters that are on their way', async (t) => {
  const looks = await followPayments(t, { payments: TWO_CHUNKS });
  assert.deepEqual(
    looks.map(({ free }) => free),
    [0n, 0n],
  );
});

for (const shift of [7, -7]) {
  test(`a block that is posted in part goes on where it was, if its logs are ${shift} places further on`, async (t) => {
    const looks = await followPayments(t, { payments: TWO_CHUNKS, shift });
    assert.deepEqual(looks.at(-1), { free: 0n, postings: BigInt(TWO_CHUNKS + 1) });
    assert.equal(looks.length, 2);
  });
}

test('a block that another one waits behind is posted in larger chunks', async (t) => {
  const [first] = await followPayments(t, { payments: TWO_CHUNKS, later: 1 });
  assert.equal(first?.postings, BigInt(TWO_CHUNKS + 1));
});

const block = (number: bigint) => ({
  number,
  hash: word(number),
  parentHash: word(number - 1n),
  nextLogIndex: 0,
  complete: true,
});

test('a slow process starts again after another one rewound the ledger', async (t) => {
  const db = await emptyDatabase(t);
  const service = follower(db, 10n, { call: async () => null as never });
  for (let number = 10n; number <= 14n; number++) assert.ok(await postLogs(service, block(number), []));
  assert.ok(await rewindLedger(service, block(14n)));
  assert.equal(await postLogs(service, block(15n), []), false);
});

test('a round that began before another database server took over posts nothing until the comparison', async (t) => {
  const db = await emptyDatabase(t);
  const service = follower(db, 10n, {});
  assert.ok(await postLogs(service, block(10n), []));
  compareAgain(service);
  assert.equal(await postLogs(service, block(11n), []), false);
  assert.equal(await postEmptyBlocks(service, [block(11n)]), false);
  assert.equal((await readCursor(db))?.number, 10n, 'the comparison still looks at block 11');
  Object.assign(service.readiness, { compared: 'done' });
  assert.ok(await postEmptyBlocks(service, [block(11n)]));
});

test('a node restored to before the oldest kept block is noticed by the postings', async (t) => {
  const s = await startTestService(t);
  const app = await s.createApp();
  await s.issue(app.id, 1_000);
  const guest = await s.createGuest(app);
  const pay = () => payUser(s.service, asApp(app.id), { from: asAddress(app.address), amount: 10, user: guest.userId });
  const before = await s.evm.rpc('evm_snapshot');
  for (let i = 0; i < 8; i++) {
    await pay();
    await s.settled();
  }
  // What pruning does on a long chain.
  const cursor = await readCursor(s.service.db);
  await pruneBlocksBelow(s.service.db, cursor!.number - 1n, 1_000);
  await s.evm.rpc('evm_revert', [before]);
  await pay();
  await until('the chain holds everything again', async () => {
    const [row] = await s.service.db.query<{ posted: bigint }>('SELECT posted FROM accounts WHERE user_id = $1', [
      guest.userId,
    ]);
    return row?.posted === 90n;
  });
  await s.settled();
  await assertLedgerIsChain(s.service);
});

test('a follower far behind reads many blocks per request, and stores those without logs in one transaction', async (t) => {
  const s = await startTestService(t);
  const db = await emptyDatabase(t);
  const calls: string[] = [];
  const { rpc, chain } = s.service;
  const counting: Rpc = {
    call: (method, params) => {
      calls.push(method);
      return rpc.call(method, params);
    },
    batch: (list) => {
      calls.push(`batch of ${list[0]!.method}`);
      return rpc.batch(list);
    },
  };
  let transactions = 0;
  const watched: Database = { ...db, transaction: (work) => db.transaction(work).finally(() => transactions++) };
  await s.evm.rpc('anvil_mine', ['0x64']);
  const head = BigInt(String(await s.evm.rpc('eth_blockNumber')));
  const behind = { ...follower(watched, chain.startBlock, counting), chain };

  while (await followChain(behind)) assert.ok(transactions < 20, 'it makes progress');
  const [cursor] = await db.query<{ number: bigint; complete: boolean }>(
    'SELECT number, complete FROM blocks ORDER BY number DESC LIMIT 1',
  );
  assert.deepEqual(cursor, { number: head, complete: true });
  const withLogs = calls.filter((method) => method === 'eth_getLogs').length;
  const looks = calls.filter((method) => method === 'batch of eth_getBlockByNumber').length;
  assert.ok(looks <= 3, `${looks} requests for ${head} headers`);
  // There may be empty blocks before each block with logs, and at the end of a round.
  assert.ok(transactions <= 2 * withLogs + looks, `${transactions} transactions, ${withLogs} blocks with logs`);
});
