import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Address, asAddress } from '../../src/base/address.ts';
import { type Hash, hexToBytes } from '../../src/base/hex.ts';
import type { RequestId, TransferId } from '../../src/base/ids.ts';
import { listRelayers } from '../../src/chain/relayers.ts';
import type { Rpc } from '../../src/chain/rpc.ts';
import { formerNonce } from '../../src/chain/token.ts';
import { openDatabase, type Tx } from '../../src/db/database.ts';
import { payUser } from '../../src/features/payments/pay-user.ts';
import { lockFollowing } from '../../src/ledger/blocks.ts';
import { applyChanges, BalanceChanges } from '../../src/ledger/postings.ts';
import { storeTransitions } from '../../src/requests/transitions.ts';
import { checkNonces } from '../../src/settlement/check-nonces.ts';
import { replaceLowest } from '../../src/settlement/replace.ts';
import { recordBroadcast } from '../../src/settlement/tables/nonces.ts';
import { insertAttempt, insertTransactions } from '../../src/settlement/tables/transactions.ts';
import { reopenTransfersAbove, settleTransfers } from '../../src/settlement/tables/transfer-transitions.ts';
import { findTransfers } from '../../src/settlement/tables/transfers.ts';
import { assertLedgerIsChain } from '../kit/service/audit.ts';
import { createDatabase } from '../kit/service/database.ts';
import { lockWaiters, lockWaitersAre } from '../kit/service/lock-waiters.ts';
import { cancelTransfer } from '../kit/service/operator-acts.ts';
import { startTestService } from '../kit/service/service.ts';
import { atEnd } from '../kit/unit/at-end.ts';
import { asApp } from '../kit/unit/callers.ts';
import { until } from '../kit/unit/until.ts';
import { insertAccountRows } from '../rows/ledger.ts';
import { insertRequestRows } from '../rows/requests.ts';
import { insertBroadcastRows, insertTransferRows } from '../rows/transfers.ts';
import { goesByTheOrder, type Lock, locking } from './by-the-order.ts';

const word = (byte: string) => `0x${byte.repeat(32)}` as Hash;

/** As the planner would choose for many rows; otherwise it may happen to find them in order. */
async function findOutOfOrder(tx: Tx): Promise<void> {
  for (const way of ['nestloop', 'mergejoin', 'indexscan', 'indexonlyscan', 'bitmapscan'])
    await tx.query(`SET LOCAL enable_${way} = off`);
}

test('several transfers are locked in the order of their ids', async (t) => {
  const db = openDatabase(await createDatabase(t));
  atEnd(t, () => db.close());
  const relayer = asAddress(`0x${'11'.repeat(20)}`);
  const [payer, payee] = [asAddress(`0x${'22'.repeat(20)}`), asAddress(`0x${'33'.repeat(20)}`)];

  // The row with the higher id comes first in the table, and is named first.
  const ids = ['ffffffff-ffff-7fff-bfff-ffffffffffff', '00000000-0000-7000-8000-000000000000'] as TransferId[];
  await insertTransferRows(
    db,
    ids.map((id) => ({ id, fromAddress: payer, toAddress: payee, relayer, relayerNonce: 7 })),
  );
  const transaction = { hash: word('ff'), relayer, nonce: 7n, raw: Buffer.from('00', 'hex'), payload: ids };
  await db.transaction((tx) => insertTransactions(tx, [transaction]));
  const [high, low] = ids.map((id) => locking('transfers', 'id', id)) as [Lock, Lock];
  const stored = () => db.query('SELECT id, status, tx_hash, decided_block FROM transfers ORDER BY status');

  await t.test('another attempt at a nonce that carries several transfers', async () => {
    const further = { hash: word('77'), raw: Buffer.from('01', 'hex') };
    await goesByTheOrder(db, low, high, () =>
      db.transaction(async (tx) => {
        await findOutOfOrder(tx);
        return insertAttempt(tx, { ...transaction, attempt: 0 }, further);
      }),
    );
    const found = await db.query<{ tx_hash: Buffer }>('SELECT DISTINCT tx_hash FROM transfers');
    assert.deepEqual(found, [{ tx_hash: hexToBytes(further.hash) }]);
  });

  // The second is cancelled, by another transaction.
  const logs = ids.map((id, i) => ({
    ...{ kind: i === 0 ? ('used' as const) : ('canceled' as const), authorizer: payer },
    ...{ nonce: formerNonce(id), txHash: word(i === 0 ? '77' : '88') },
  }));
  await db.transaction((tx) => settleTransfers(tx, logs, 9n));
  assert.deepEqual(await stored(), [
    { id: ids[0], status: 'completed', tx_hash: hexToBytes(word('77')), decided_block: 9n },
    { id: ids[1], status: 'failed', tx_hash: hexToBytes(word('88')), decided_block: 9n },
  ]);
  assert.deepEqual(await db.query('SELECT FROM open_transfers'), []);

  await t.test('transfers that a reorganisation reopens', async () => {
    await goesByTheOrder(db, low, high, () =>
      db.transaction(async (tx) => {
        await findOutOfOrder(tx);
        return reopenTransfersAbove(tx, 8n);
      }),
    );
    // The newest attempt at their nonce carries them again.
    const reopened = { status: 'submitted', tx_hash: hexToBytes(word('77')), decided_block: null };
    for (const { id: _, ...row } of await stored()) assert.deepEqual(row, reopened);
    assert.equal((await db.query('SELECT FROM open_transfers')).length, 2);
  });
});

test('accounts and requests that a block changes are locked by their keys', async (t) => {
  const db = openDatabase(await createDatabase(t));
  atEnd(t, () => db.close());
  // The row with the higher key comes first in the table.
  const addresses = ['ff', '00'].map((byte) => asAddress(`0x${byte.repeat(20)}`));
  await insertAccountRows(
    db,
    addresses.map((address) => ({ address })),
  );
  const [high, low] = addresses.map((address) => locking('accounts', 'address', address)) as [Lock, Lock];
  await goesByTheOrder(db, low, high, () =>
    db.transaction(async (tx) => {
      const changes = new BalanceChanges();
      for (const address of addresses) changes.add(address, { posted: 5n });
      await applyChanges(tx, changes);
    }),
  );

  const ids = ['ffffffff-ffff-7fff-bfff-ffffffffffff', '00000000-0000-7000-8000-000000000000'] as RequestId[];
  const ends = { fromAddress: addresses[0]!, toAddress: addresses[1]! };
  await insertRequestRows(
    db,
    ids.map((id) => ({ ...ends, id, appId: 'A'.repeat(20), userId: 'u'.repeat(28), status: 'approved' })),
  );
  const [last, first] = ids.map((id) => locking('requests', 'id', id)) as [Lock, Lock];
  await goesByTheOrder(db, first, last, () =>
    db.transaction(async (tx) => {
      assert.equal((await storeTransitions(tx, ids, 'complete', 'chain')).length, 2);
    }),
  );
});

test('what others change of an account while a block waits for it is kept', async (t) => {
  const db = openDatabase(await createDatabase(t));
  atEnd(t, () => db.close());
  const [busy, other] = ['22', '11'].map((byte) => asAddress(`0x${byte.repeat(20)}`)) as [Address, Address];
  await insertAccountRows(db, [
    { address: busy, posted: 100n },
    { address: other, posted: 0n },
  ]);
  const moved = (amount: bigint) => {
    const changes = new BalanceChanges();
    changes.addPosting({ from: busy, to: other, amount }, 1n);
    return changes;
  };
  let posting: Promise<unknown> | undefined;
  await db.transaction(async (tx) => {
    await applyChanges(tx, moved(7n));
    posting = db.transaction((second) => applyChanges(second, moved(5n)));
    await lockWaitersAre({ db }, 1);
  });
  await posting;
  assert.deepEqual(await db.query('SELECT posted FROM accounts ORDER BY address'), [{ posted: 12n }, { posted: 88n }]);
});

test('what a node took is recorded in the order of the nonces, since no transaction would repeat it', async (t) => {
  const db = openDatabase(await createDatabase(t));
  atEnd(t, () => db.close());
  const relayer = asAddress(`0x${'11'.repeat(20)}`);
  // The newer batch comes first in the table.
  await insertBroadcastRows(db, [
    { relayer, firstNonce: 5, below: 9 },
    { relayer, firstNonce: 0, below: 5 },
  ]);
  const [low, high] = [5, 9].map((below) => locking('broadcasts', 'below', below)) as [Lock, Lock];
  await goesByTheOrder(db, low, high, () =>
    db.transaction(async (tx) => {
      await findOutOfOrder(tx);
      await recordBroadcast(tx, relayer, { first: 0n, below: 12n });
    }),
  );
  const rows = await db.query(
    'SELECT first_nonce, below, resent_at IS NOT NULL AS again FROM broadcasts ORDER BY below',
  );
  assert.deepEqual(rows, [
    { first_nonce: 0n, below: 5n, again: true },
    { first_nonce: 5n, below: 9n, again: true },
    { first_nonce: 9n, below: 12n, again: false },
  ]);
});

test('a cancellation and another attempt at a transaction wait while somebody follows', async (t) => {
  const s = await startTestService(t);
  const { db } = s.service;
  const app = await s.createApp();
  await s.issue(app.id, 100);
  const relayer = (await listRelayers(db)).find(({ purpose }) => purpose === 'settlement')!;
  const { userId } = await s.createGuest(app);
  let waiting: Promise<unknown>[] = [];
  await db.transaction(async (following) => {
    await until('nobody follows', () => lockFollowing(following));
    const payment = { from: asAddress(app.address), amount: 5, user: userId };
    const { transferId } = await payUser(s.service, asApp(app.id), payment);
    await until('it is sent', async () => (await findTransfers(db, [transferId]))[0]!.status === 'submitted');
    waiting = [replaceLowest(s.service, relayer), cancelTransfer(s.service, transferId)];
    await lockWaitersAre({ db }, 2);
    // A block settles its transfers in any order, so nobody else may have locked one of them.
    const [text, values] = locking('transfers', 'id', transferId);
    await following.query(`${text} NOWAIT`, values);
  });
  await Promise.all(waiting);
  await s.settled();
  await assertLedgerIsChain(s.service);
});

test('which nonces the chain has used is not recorded while somebody else follows', async (t) => {
  const s = await startTestService(t);
  const { db, rpc } = s.service;
  // A node on which the relayers have sent more than they have.
  const ahead: Rpc = {
    ...rpc,
    call: async (method, params) => {
      const answer = await rpc.call<never>(method, params);
      return method === 'eth_getTransactionCount' ? (`0x${(BigInt(answer) + 3n).toString(16)}` as never) : answer;
    },
  };
  const used = () => db.query('SELECT relayer, block_number, below FROM consumed_nonces ORDER BY 1, 2');
  const before = await used();
  let recovering: Promise<unknown> | undefined;
  let hasEnded = false;
  await db.transaction(async (following) => {
    await until('nobody follows', () => lockFollowing(following));
    recovering = checkNonces({ ...s.service, rpc: ahead }).finally(() => {
      hasEnded = true;
    });
    await until('it gives up, or waits', async () => hasEnded || (await lockWaiters({ db })) > 0);
    assert.deepEqual(await used(), before);
  });
  await recovering;
  await until('it is recorded', async () => {
    await checkNonces({ ...s.service, rpc: ahead });
    return (await used()).some(({ below }) => !before.some((row) => row.below === below));
  });
});

test('a nonce that a node shows for its newest block while it mines the next one is not recorded', async (t) => {
  const s = await startTestService(t);
  const { db, rpc } = s.service;
  const used = () => db.query('SELECT relayer, block_number, below FROM consumed_nonces ORDER BY 1, 2');
  await s.settled();
  const before = await used();
  let isMining = true;
  let asked = 0;
  const mining: Rpc = {
    ...rpc,
    call: async (method, params) => {
      const answer = await rpc.call<never>(method, params);
      if (method === 'eth_getTransactionCount' && params[1] !== 'latest') {
        asked++;
        return isMining ? (`0x${(BigInt(answer) + 1n).toString(16)}` as never) : answer;
      }
      // It has mined the block by the time of the next answer.
      if (method !== 'eth_getBlockByNumber' || params[0] !== 'latest' || asked === 0) return answer;
      isMining = false;
      const { number, hash } = answer as { number: string; hash: string };
      return {
        ...(answer as object),
        number: `0x${(BigInt(number) + 1n).toString(16)}`,
        parentHash: hash,
        hash: word('ab'),
      } as never;
    },
  };
  await checkNonces({ ...s.service, rpc: mining });
  assert.ok(asked > 0);
  assert.deepEqual(await used(), before);
});
