/**
 * Compares two ways to pass rows to one statement: an array for each column (`unnest`), or one JSON text (`jsonb_to_recordset`). It
 * inserts the transfers of groups of several sizes. It brings its own database: `node bench/writes.ts`.
 */
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { newTransferId } from '../src/base/ids.ts';
import { byteaText, jsonRows, openDatabase, type Tx } from '../src/db/database.ts';
import { createDatabase } from '../test/support/database.ts';

const ROWS = Number(process.env.ROWS ?? 40_000);
const ROUNDS = 3;

type Row = ReturnType<typeof newRow>;

const hex = (bytes: number) => `0x${randomBytes(bytes).toString('hex')}`;
const newRow = () => ({
  id: newTransferId(),
  from: hex(20),
  to: hex(20),
  amount: 5n,
  nonce: hex(32),
  signature: randomBytes(65),
  txHash: hex(32),
});

const INSERT = `INSERT INTO transfers (id, from_address, to_address, amount, authorization_nonce, authorization_signature, tx_hash, status)
  SELECT id, "from", "to", amount, nonce, signature, "txHash", 'approved' FROM `;

const ways: Record<string, (tx: Tx, rows: readonly Row[]) => Promise<unknown>> = {
  unnest: ({ query }, rows) =>
    query(
      `${INSERT} unnest($1::uuid[], $2::text[], $3::text[], $4::bigint[], $5::text[], $6::bytea[], $7::text[])
        AS new (id, "from", "to", amount, nonce, signature, "txHash")`,
      (['id', 'from', 'to', 'amount', 'nonce', 'signature', 'txHash'] as const).map((field) =>
        rows.map((row) => row[field]),
      ),
    ),
  jsonb_to_recordset: ({ query }, rows) =>
    query(
      `${INSERT} jsonb_to_recordset($1)
        AS new (id uuid, "from" text, "to" text, amount bigint, nonce text, signature bytea, "txHash" text)`,
      [jsonRows(rows.map((row) => ({ ...row, signature: byteaText(row.signature) })))],
    ),
};

test(`${ROWS} transfers, in groups`, async (t) => {
  const db = openDatabase(await createDatabase(t));
  t.after(() => db.close());
  for (let round = 0; round <= ROUNDS; round++) {
    const table: Record<string, Record<string, number>> = {};
    for (const size of [1, 10, 100, 1_000]) {
      const groups = Array.from({ length: Math.min(ROWS / size, 2_000) }, () => Array.from({ length: size }, newRow));
      const micros: Record<string, number> = {};
      for (const [name, write] of Object.entries(ways)) {
        await db.query('TRUNCATE transfers CASCADE');
        const cpu = process.cpuUsage();
        const began = performance.now();
        // In one transaction, because COMMIT costs the same for both.
        await db.transaction(async (tx) => {
          for (const group of groups) await write(tx, group);
        });
        const { user, system } = process.cpuUsage(cpu);
        micros[`${name}: µs a group`] = Math.round(((performance.now() - began) * 1000) / groups.length);
        micros[`${name}: CPU here`] = Math.round((user + system) / groups.length);
      }
      table[`groups of ${size}`] = micros;
    }
    // The first round warms the code and the server up.
    if (round > 0) console.table(table);
  }
});
