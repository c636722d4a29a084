import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asAddress } from '../../src/base/address.ts';
import { bytesToHex, type Hash, type Hex } from '../../src/base/hex.ts';
import { Outgoing } from '../../src/chain/outgoing.ts';
import type { Rpc } from '../../src/chain/rpc.ts';
import { readSettings } from '../../src/config/read-settings.ts';
import { openDatabase } from '../../src/db/database.ts';
import { openBroadcast } from '../../src/settlement/broadcast.ts';
import type { Engine } from '../../src/settlement/engine.ts';
import { readMarks } from '../../src/settlement/tables/nonces.ts';
import { insertTransactions } from '../../src/settlement/tables/transactions.ts';
import { createDatabase } from '../kit/service/database.ts';
import { atEnd } from '../kit/unit/at-end.ts';
import { insertBroadcastRows } from '../rows/transfers.ts';

const relayer = asAddress(`0x${'11'.repeat(20)}`);

/** Transactions of a relayer whose bytes say which they are. */
function transactions(nonces: readonly number[], mark: string) {
  return nonces.map((nonce) => ({
    ...{ hash: `0x${mark.repeat(31)}${nonce.toString(16).padStart(2, '0')}` as Hash, relayer, nonce: BigInt(nonce) },
    ...{ raw: Buffer.from(`${mark}${nonce.toString(16).padStart(2, '0')}`, 'hex'), payload: [] },
  }));
}

async function stage(t: Parameters<typeof atEnd>[0]) {
  const db = openDatabase(await createDatabase(t));
  atEnd(t, () => db.close());
  const sent: Hex[] = [];
  const refusing = new Set<Hex>();
  const rpc = {
    batch: async (calls: readonly { readonly params: readonly Hex[] }[]) =>
      calls.map(({ params: [raw] }) => {
        sent.push(raw!);
        return refusing.has(raw!) ? { kind: 'error', message: 'txpool is full' } : { kind: 'result', result: raw };
      }),
  } as unknown as Rpc;
  const settlement = { outgoing: new Outgoing() };
  const deps = {
    db,
    rpc,
    settings: readSettings({}),
    log: { warn() {} },
    settlement,
    readiness: { chain: 'ok', compared: 'done' },
  };
  return { db, sent, refusing, outgoing: settlement.outgoing, send: openBroadcast(deps as unknown as Engine, relayer) };
}

test('what a database has lost after a failure is not sent', async (t) => {
  const { db, sent, outgoing, send } = await stage(t);
  outgoing.add(relayer, transactions([0, 1, 2], 'aa'));
  await db.transaction((tx) => insertTransactions(tx, transactions([0], 'aa')));
  await db.transaction((tx) => insertTransactions(tx, transactions([1], 'bb')));
  await send();
  assert.deepEqual(sent, ['0xaa00', '0xbb01']);
});

test('a broadcast that a node takes only in part once more stays due', async (t) => {
  const { db, sent, refusing, send } = await stage(t);
  const all = transactions([0, 1, 2, 3], 'aa');
  await db.transaction((tx) => insertTransactions(tx, all));
  await insertBroadcastRows(db, [{ relayer, firstNonce: 0, below: 4, sentAt: new Date(Date.now() - 60_000) }]);
  refusing.add(bytesToHex(all[2]!.raw));
  assert.equal((await send()).count, 1);
  refusing.clear();
  assert.equal((await send()).count, 0);
  assert.deepEqual(sent.slice(4), ['0xaa00', '0xaa01', '0xaa02', '0xaa03']);
  await send();
  assert.equal(sent.length, 8);
  assert.deepEqual((await readMarks(db, [relayer])).get(relayer), { consumed: 0n, sent: 4n });
});
