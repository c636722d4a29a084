import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asAddress } from '../../src/base/address.ts';
import { asHash } from '../../src/base/hex.ts';
import { newTransferId } from '../../src/base/ids.ts';
import type { Rpc } from '../../src/chain/rpc.ts';
import { authorizationNonce } from '../../src/chain/token.ts';
import { readSettings } from '../../src/config/read-settings.ts';
import { type Database, openDatabase } from '../../src/db/database.ts';
import { lockStrandedTransfers } from '../../src/transfers/transitions.ts';
import { payUser } from '../../src/usecases/app/pay-user.ts';
import type { Service } from '../../src/usecases/service.ts';
import { followChain } from '../../src/usecases/system/follow-chain.ts';
import { postLogs } from '../../src/usecases/system/post-logs.ts';
import { rewindLedger } from '../../src/usecases/system/rewind-ledger.ts';
import { atEnd } from '../support/at-end.ts';
import { assertLedgerIsChain } from '../support/audit.ts';
import { asApp } from '../support/callers.ts';
import { createDatabase } from '../support/database.ts';
import { startTestService } from '../support/service.ts';
import { until } from '../support/until.ts';

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
    settings: readSettings({}),
    chain: { contracts: { token: address(0xc0ffee) }, startBlock },
    settlement: { wakeBroadcast() {} },
    log: { info() {}, warn() {}, error() {} },
  } as unknown as Service;
}

const PAYER = address(0xaaa);
const PAYEE = address(0xbbb);

async function insertTransfer(db: Database, id: string, amount: number): Promise<void> {
  await db.query(
    `INSERT INTO transfers
       (id, from_address, to_address, amount, status, authorization_nonce, authorization_signature, tx_hash)
     VALUES ($1, $2, $3, $4, 'submitted', $5, decode(repeat('00', 65), 'hex'), $6)`,
    [id, PAYER, PAYEE, amount, authorizationNonce(id as never), word(1)],
  );
}

test('however a block is cut into chunks, quarters on their way are free at no step', async (t) => {
  const db = await emptyDatabase(t);
  await db.query(`INSERT INTO apps (id, name) VALUES (repeat('a', 20), 'x')`);
  await db.query(
    `INSERT INTO accounts (address, kind, app_id, sealed_key, posted, held)
     VALUES ($1, 'app', repeat('a', 20), '\\x00', 1500, 1500)`,
    [PAYER],
  );
  const ids = Array.from({ length: 300 }, () => newTransferId());
  for (const id of ids) await insertTransfer(db, id, 5);

  const logs: object[] = [];
  const add = (tx: number, topics: string[], data: string) =>
    logs.push({
      logIndex: `0x${logs.length.toString(16)}`,
      transactionHash: word(tx),
      blockHash: word(0xb10c),
      topics,
      data,
    });
  // A stranger's plain transfer shifts the pairs, so that the chunk's end falls between the two logs of one payment.
  add(999, [TRANSFER, topic(address(1)), topic(address(2))], word(1));
  ids.forEach((id, i) => {
    add(1000 + i, [USED, topic(PAYER), authorizationNonce(id)], '0x');
    add(1000 + i, [TRANSFER, topic(PAYER), topic(PAYEE)], word(5));
  });
  const header = {
    number: '0x0',
    hash: word(0xb10c),
    parentHash: word(0),
    baseFeePerGas: '0x1',
    gasLimit: '0x1',
    logsBloom: `0x${'f'.repeat(512)}`,
  };
  const free: bigint[] = [];
  const watched: Database = {
    ...db,
    async transaction(work) {
      const result = await db.transaction(work);
      const [account] = await db.query<{ free: bigint }>(
        'SELECT posted - held AS free FROM accounts WHERE address = $1',
        [PAYER],
      );
      free.push(account!.free);
      return result;
    },
  };
  const call = async (method: string) => (method === 'eth_getLogs' ? logs : header) as never;
  await followChain(follower(watched, 0n, { call }));
  assert.deepEqual(free, [0n, 0n]);
});

test('a process that was slow while another took everything back begins at the beginning', async (t) => {
  const db = await emptyDatabase(t);
  const service = follower(db, 10n, { call: async () => null as never });
  const block = (number: bigint) => ({
    number,
    hash: word(number),
    parentHash: word(number - 1n),
    nextLogIndex: 0,
    complete: true,
  });
  for (let number = 10n; number <= 14n; number++) assert.ok(await postLogs(service, block(number), []));
  assert.ok(await rewindLedger(service, block(14n)));
  assert.equal(await postLogs(service, block(15n), []), false);
});

test('a transfer that was tried a thousand times does not stop the others', async (t) => {
  const db = await emptyDatabase(t);
  const id = newTransferId();
  await db.query(`INSERT INTO accounts (address, kind, posted) VALUES ($1, 'external', 1000)`, [PAYER]);
  await db.query(`INSERT INTO relayers (address, purpose, sealed_key) VALUES ($1, 'settlement', '\\x00')`, [
    address(9),
  ]);
  await insertTransfer(db, id, 5);
  await db.query(
    `INSERT INTO transactions (hash, relayer, nonce, attempt, raw, status, mined_block, created_at)
     SELECT 'h' || n, $1, n, 0, '\\x00', 'mined', 1, now() - interval '1 day' FROM generate_series(1, 1100) AS n`,
    [address(9)],
  );
  await db.query(
    'INSERT INTO cargo (relayer, nonce, transfer_id) SELECT $1, n, $2 FROM generate_series(1, 1100) AS n',
    [address(9), id],
  );
  assert.equal((await db.transaction((tx) => lockStrandedTransfers(tx, 100))).length, 1);
});

test('a node that comes back at a state older than the blocks that are kept is noticed by the postings', async (t) => {
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
  await s.service.db.query('DELETE FROM blocks WHERE number < (SELECT max(number) FROM blocks) - 1');
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
