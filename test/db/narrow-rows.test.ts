import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TransferId } from '../../src/base/ids.ts';
import { formerNonce } from '../../src/chain/token.ts';
import { openDatabase } from '../../src/db/database.ts';
import { migrate } from '../../src/db/migrate.ts';
import {
  A,
  APP,
  at,
  fillFormerRows,
  hashOf,
  idOf,
  insertFormerProcess,
  NAMES,
  PAYEE,
  PAYER,
  REQUESTS,
  removeCargo,
  requestOf,
  SENT_AT,
  STRANGERS,
  TRANSACTIONS,
  TRANSFERS,
  transitionsOf,
  USER,
} from '../rows/former.ts';
import { createOlderDatabase } from '../rows/older-schema.ts';

const numberOf = (id: string) => Number(id.slice(-12));
const hex = (column: string) => `'0x' || encode(${column}, 'hex') AS ${column}`;

test('each row of before the narrow rows has its new form, and what is on its way stays so', async (t) => {
  const url = await createOlderDatabase(t, '0012');
  const db = openDatabase(url);
  const rowsOf = <Row extends object>(text: string) => db.query<Row>(text);
  try {
    await fillFormerRows(db);

    await t.test('while an earlier version runs, or if a row is wrong, nothing changes', async () => {
      await insertFormerProcess(db, -3_000);
      await assert.rejects(migrate(url), /An earlier version still runs on this database\. Stop all/);
      // Killed a moment ago.
      await insertFormerProcess(db, 4_500);
      const bringBack = await removeCargo(db, 16);
      await assert.rejects(migrate(url), /"relayer"/);
      assert.ok((await rowsOf('SELECT FROM request_moves')).length > 0);
      await bringBack();
      assert.equal((await migrate(url))[0], '0012_narrow_rows');
      assert.deepEqual(await migrate(url), []);
    });

    await t.test('requests have their transitions, in order', async () => {
      const requests = await rowsOf<{ id: string; status: string; transitions: string[]; transition_times: Date[] }>(
        'SELECT id, status, transitions, transition_times FROM requests ORDER BY id',
      );
      assert.deepEqual(
        requests.map(({ id, status, transitions }) => [numberOf(id), status, transitions]),
        [...REQUESTS]
          .sort(([a], [b]) => a - b)
          .map(([number, status]) => [number, status, transitionsOf(number, status)]),
      );
      for (const { transition_times: times } of requests)
        assert.deepEqual(
          times,
          times.map((_, i) => at(i)),
        );
      const refunds = await rowsOf(
        `SELECT source, refund_of, sequence, amount, description, expires_at FROM requests WHERE id = '${idOf(103)}'`,
      );
      const expected = { source: 'refund', refund_of: idOf(110), sequence: 1, amount: 103n, description: 'no. 103' };
      assert.deepEqual(refunds, [{ ...expected, expires_at: at(2) }]);
      const pending = await rowsOf('SELECT * FROM pending_requests ORDER BY request_id');
      const waiting = { user_id: USER, app_id: APP };
      assert.deepEqual(pending, [
        { request_id: idOf(201), ...waiting, expires_at: at(59) },
        { request_id: idOf(202), ...waiting, expires_at: at(2) },
      ]);
    });

    await t.test('transfers name the transaction that carries them, and further ones are kept', async () => {
      const transfers = await rowsOf<Record<string, string>>(
        `SELECT id, request_id, status, ${hex('tx_hash')}, relayer, relayer_nonce, is_split, cancelling, decided_block, amount, created_at
           FROM transfers ORDER BY id`,
      );
      const carriers = 'A/0 A/1 A/1 A/2 A/4 B/3 B/2 A/8 OP/3 B/0 B/1 A/10 A/9 A/11 OP/2 A/12'.split(' ');
      assert.deepEqual(
        transfers.map(({ relayer, relayer_nonce, ...transfer }) => ({
          ...transfer,
          carrier: `${NAMES.get(relayer!)}/${relayer_nonce}`,
        })),
        TRANSFERS.map(([number, status, txHash, block], i) => ({
          ...{ id: idOf(number), request_id: requestOf(number) && idOf(requestOf(number)!), status, tx_hash: txHash },
          ...{ is_split: [10, 11].includes(number), cancelling: [8, 9].includes(number), carrier: carriers[i] },
          ...{ decided_block: block === null ? null : BigInt(block), amount: BigInt(number), created_at: at(number) },
        })),
      );
      const further = await rowsOf<{ id: string; relayer: string; nonce: bigint }>(
        'SELECT transfer_id AS id, relayer, nonce FROM further_transactions ORDER BY transfer_id',
      );
      assert.equal(
        further.map(({ id, relayer, nonce }) => `${numberOf(id)}: ${NAMES.get(relayer)}/${nonce}`).join(', '),
        '5: A/3, 6: A/5, 7: A/6, 8: OP/4, 9: A/7, 10: A/5, 11: A/5',
      );
      const open = await rowsOf<{ id: string; authorization_nonce: string; from_address: string; to_address: string }>(
        `SELECT transfer_id AS id, ${hex('authorization_nonce')}, from_address, to_address FROM open_transfers ORDER BY 1`,
      );
      assert.deepEqual(
        open,
        TRANSFERS.flatMap(([number, , , block]) => {
          const authorization_nonce = formerNonce(idOf(number) as TransferId);
          return block === null
            ? [{ id: idOf(number), authorization_nonce, from_address: PAYER, to_address: PAYEE }]
            : [];
        }),
      );
    });

    await t.test('every attempt keeps its bytes, and knows what it carries', async () => {
      const attempts = await rowsOf<{ payload: string[] }>(
        `SELECT relayer, nonce, attempt, ${hex('hash')}, raw, payload, created_at, mined_block FROM transactions ORDER BY created_at`,
      );
      assert.deepEqual(
        attempts,
        TRANSACTIONS.map(([relayer, nonce, attempt, , block], i) => ({
          ...{ relayer, nonce: BigInt(nonce), attempt, hash: hashOf(relayer, nonce, attempt), raw: Buffer.of(i) },
          payload: TRANSACTIONS.flatMap(([r, n, , , , carried]) =>
            r === relayer && n === nonce ? carried.map(idOf) : [],
          ),
          ...{ created_at: at(i), mined_block: block === null ? null : BigInt(block) },
        })),
      );
    });

    await t.test('the marks say what is sent, and what the chain had used at each kept block', async () => {
      const broadcasts = await rowsOf<{ relayer: string }>('SELECT * FROM broadcasts ORDER BY relayer');
      const taken = { first_nonce: 0n, sent_at: SENT_AT, resent_at: null };
      assert.deepEqual(
        broadcasts.map((row) => ({ ...row, relayer: NAMES.get(row.relayer) })),
        [
          { relayer: 'A', below: 10n, ...taken },
          { relayer: 'B', below: 3n, ...taken },
          { relayer: 'OP', below: 4n, ...taken },
        ],
      );
      const marks = await rowsOf<{ relayer: string; marks: string }>(
        `SELECT relayer, string_agg(block_number || ':' || below, ' ' ORDER BY block_number) AS marks
           FROM consumed_nonces GROUP BY relayer ORDER BY relayer`,
      );
      assert.deepEqual(
        marks.map((row) => [NAMES.get(row.relayer), row.marks]),
        [
          ['A', '90:0 91:1 95:2 96:4 97:5 98:7 99:8'],
          ['B', '90:0 99:1'],
          ['C', '90:0'],
          ['OP', '90:2 91:3 99:4'],
        ],
      );
    });

    await t.test('postings, events and claims stay as they were', async () => {
      const postings = await rowsOf(
        `SELECT block_number, log_index, ${hex('block_hash')}, ${hex('tx_hash')}, amount, posted_at, outside_block FROM postings ORDER BY 1`,
      );
      const posting = { amount: 1n, posted_at: at(1) };
      const [first, second] = [
        { block_number: 91n, log_index: 3 },
        { block_number: 99n, log_index: 0 },
      ];
      assert.deepEqual(postings, [
        { ...first, ...posting, block_hash: `0x${'0a'.repeat(32)}`, tx_hash: hashOf(A, 0), outside_block: null },
        { ...second, ...posting, block_hash: `0x${'0b'.repeat(32)}`, tx_hash: STRANGERS, outside_block: 99n },
      ]);
      assert.deepEqual(await rowsOf('SELECT data, request_id FROM events'), [
        { data: { id: idOf(101), status: 'completed' }, request_id: null },
      ]);
      assert.deepEqual(await rowsOf('SELECT transfer_id, amount FROM reward_claims JOIN transfers USING (amount)'), [
        { transfer_id: idOf(11), amount: 11n },
      ]);
    });
  } finally {
    await db.close();
  }
});
