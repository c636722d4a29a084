import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asAddress } from '../../src/base/address.ts';
import { asHash } from '../../src/base/hex.ts';
import { newTransferId, type TransferId } from '../../src/base/ids.ts';
import { Meters } from '../../src/base/meters.ts';
import type { TokenLog } from '../../src/chain/block-replies.ts';
import { formerNonce } from '../../src/chain/token.ts';
import { type Database, openDatabase } from '../../src/db/database.ts';
import { payUser } from '../../src/features/payments/pay-user.ts';
import { postLogs } from '../../src/settlement/post.ts';
import { createDatabase } from '../kit/service/database.ts';
import { startTestService } from '../kit/service/service.ts';
import { atEnd } from '../kit/unit/at-end.ts';
import { asApp } from '../kit/unit/callers.ts';
import { recordTransactions } from '../kit/unit/statements.ts';
import { until } from '../kit/unit/until.ts';
import { insertAccountRows } from '../rows/ledger.ts';
import { insertTransferRows } from '../rows/transfers.ts';

const AT_ONCE = 256;
const MOST_STATEMENTS_A_TRANSFER = 0.2;
const MOST_ROUND_TRIPS = 3;

test('256 payouts at once take at most 0.2 statements each, and three round trips a group', async (t) => {
  const s = await startTestService(t);
  const app = await s.createApp();
  const guests = await Promise.all(Array.from({ length: 8 }, () => s.createGuest(app)));
  await s.issue(app.id, AT_ONCE);
  const transactions = recordTransactions(t);
  await Promise.all(
    Array.from({ length: AT_ONCE }, (_, i) =>
      payUser(s.service, asApp(app.id), {
        from: asAddress(app.address),
        user: guests[i % guests.length]!.userId,
        amount: 1,
      }),
    ),
  );
  await s.settled();

  const those = (statement: string) =>
    transactions.filter(({ statements }) => statements.some((text) => text.includes(statement)));
  const groups = those('INTO transfers (');
  for (const { roundTrips, statements } of groups) {
    assert.ok(roundTrips <= MOST_ROUND_TRIPS, `${roundTrips} round trips:\n${statements.join('\n')}`);
  }
  // The first call begins a group of its own, before the others are known. Blocks come by themselves, so there may be several.
  const group = groups.at(-1)!.statements.length;
  const chunk = Math.max(...those('INTO postings (').map(({ statements }) => statements.length));
  // The rest is left for the look-ups that calls share, and for sending.
  assert.ok((group + chunk) / (AT_ONCE - 1) <= MOST_STATEMENTS_A_TRANSFER * 0.6, `${group} and ${chunk} statements`);
});

const UPDATED_IN_PLACE = ['requests', 'transfers', 'accounts', 'relayers', 'idempotency_keys'];
const LEAST_IN_PLACE = 0.95;

test('the rows of payouts are updated in place', async (t) => {
  const s = await startTestService(t);
  const app = await s.createApp();
  const guests = await Promise.all(Array.from({ length: 8 }, () => s.createGuest(app)));
  await s.issue(app.id, AT_ONCE);
  await s.settled();
  await s.service.db.query('SELECT pg_stat_reset()');
  await Promise.all(
    Array.from({ length: AT_ONCE }, async (_, i) => {
      const response = await s.app.inject({
        method: 'POST',
        url: `/v1/accounts/${app.address}/transfer`,
        headers: { authorization: `Bearer ${app.serverKey}`, 'idempotency-key': `in place ${i}` },
        payload: { amount: 1, user: guests[i % guests.length]!.userId },
      });
      assert.equal(response.statusCode, 200, response.body);
    }),
  );
  await s.settled();

  const counts = () =>
    s.service.db.query<{ table: string; updated: bigint; inPlace: bigint }>(
      `SELECT relname AS table, n_tup_upd AS updated, n_tup_hot_upd AS "inPlace" FROM pg_stat_user_tables
        WHERE relname = ANY($1) ORDER BY relname`,
      [UPDATED_IN_PLACE],
    );
  // Connections report what they have done with a delay of a second or so.
  await until('the counts of all updates', async () =>
    (await counts()).some(({ table, updated }) => table === 'transfers' && updated >= AT_ONCE),
  );
  for (const { table, updated, inPlace } of await counts()) {
    assert.ok(Number(inPlace) >= Number(updated) * LEAST_IN_PLACE, `${table}: ${inPlace} of ${updated}`);
  }
});

const PAYER = asAddress(`0x${'a'.repeat(40)}`);
const PAYEE = asAddress(`0x${'b'.repeat(40)}`);
const CHUNK = 200;
const BACKLOG = 50_000;
const ROWS_AT_ONCE = 10_000;
const word = (value: number) => asHash(`0x${value.toString(16).padStart(64, '0')}`);

/** Posts a chunk of 200 transfers, and returns how many rows the database read for it. */
async function rowsReadForChunk(db: Database, block: number): Promise<number> {
  const ids = Array.from({ length: CHUNK }, newTransferId);
  await insertTransferRows(
    db,
    ids.map((id) => ({ id, fromAddress: PAYER, toAddress: PAYEE })),
  );
  let rows = 0;
  const counting: Pick<Database, 'transaction'> = {
    transaction: (work) =>
      db.transaction(async (tx) => {
        // What a connection has read since it last reported.
        const read = async () => {
          const [row] = await tx.query<{ rows: bigint }>(
            `SELECT sum(pg_stat_get_xact_tuples_returned(oid) + pg_stat_get_xact_tuples_fetched(oid))::bigint AS rows
               FROM pg_class WHERE relname = ANY('{transfers,transfers_pkey,open_transfers,open_transfers_pkey}')`,
          );
          return Number(row!.rows);
        };
        const before = await read();
        const result = await work(tx);
        rows = (await read()) - before;
        return result;
      }),
  };
  const service = {
    db: { ...db, ...counting },
    chain: { startBlock: 1n },
    readiness: { compared: 'done' },
    settings: { rewardSharePercent: 0 },
    meters: new Meters(),
  };
  const header = { number: BigInt(block), hash: word(block), parentHash: word(block - 1), nextLogIndex: 2 * CHUNK };
  const logs = ids.flatMap((id: TransferId, i): TokenLog[] => [
    {
      kind: 'used',
      logIndex: 2 * i,
      txHash: word(1_000 * block + i),
      authorizer: PAYER,
      nonce: formerNonce(id),
    },
    {
      kind: 'transfer',
      logIndex: 2 * i + 1,
      txHash: word(1_000 * block + i),
      from: PAYER,
      to: PAYEE,
      amount: 1n as never,
    },
  ]);
  assert.equal(
    await postLogs(service as unknown as Parameters<typeof postLogs>[0], { ...header, complete: true }, logs),
    true,
  );
  return rows;
}

test('posting reads as many rows beside 50,000 open transfers of the same payer as beside none', async (t) => {
  const db = openDatabase(await createDatabase(t), { maxConnections: 1 });
  atEnd(t, () => db.close());
  await insertAccountRows(db, [
    { address: PAYER, kind: 'treasury', sealedKey: new Uint8Array(1), posted: BACKLOG, held: BACKLOG },
  ]);
  await insertAccountRows(db, [{ address: PAYEE, posted: 0 }]);
  let block = 1;
  // The plans of prepared statements stay as they are after some runs: those of an almost empty database are the worst.
  for (let i = 0; i < 8; i++) await rowsReadForChunk(db, block++);
  const alone = await rowsReadForChunk(db, block++);
  for (let inserted = 0; inserted < BACKLOG; inserted += ROWS_AT_ONCE) {
    await insertTransferRows(
      db,
      Array.from({ length: ROWS_AT_ONCE }, () => ({ fromAddress: PAYER, toAddress: PAYEE })),
    );
  }
  const beside = await rowsReadForChunk(db, block++);
  assert.ok(beside <= alone * 1.2, `${beside} rows beside the backlog, ${alone} without`);
});
