// Moves an emulator of this process by four days, and prints as JSON what the database then says of the time.
import assert from 'node:assert/strict';
import { createEmulatorApp } from '../../local/emulator/apps.ts';
import { openEmulator } from '../../local/emulator/emulator.ts';
import { moveClock } from '../../local/emulator/time.ts';
import type { Address } from '../../src/base/address.ts';
import type { UserId } from '../../src/base/ids.ts';
import { insertWithdrawalAddress, listWithdrawalAddresses } from '../../src/identity/withdrawal-addresses.ts';
import { houseOf } from '../../src/service/house.ts';
import { WINGS } from '../../src/wings.ts';

const DAY = 86_400_000;
const opened = await openEmulator({ env: { PATH: process.env.PATH }, house: houseOf(WINGS), port: 0 });
const { world } = opened;
const { db, settlement } = world.service;
const epochs = () => settlement.leases.map(({ address, epoch }) => `${address} ${epoch}`).sort();

// What it does once after its start, it has done by now.
await world.turn();
const began = new Date();
const before = epochs();
await moveClock(world, (now) => now + 4 * DAY);
const after = epochs();
await createEmulatorApp(world, { webhook: 'http://127.0.0.1:1/nobody' });

const columns = await db.query<{ table: string; column: string }>(
  `SELECT relname AS "table", attname AS "column" FROM pg_attrdef JOIN pg_attribute ON attrelid = adrelid AND attnum = adnum
     JOIN pg_class ON pg_class.oid = adrelid
    WHERE relnamespace = 'public'::regnamespace AND pg_get_expr(adbin, adrelid) ~ '(now|timestamp)\\(\\)'`,
);
/** The days from now to what a row gets that names no value, and whether a row of a table has been given the time that nobody has moved. */
const defaults: Record<string, number> = {};
const unmoved: string[] = [];
await db.transaction(async ({ query }) => {
  for (const { table, column } of columns) {
    await query(`CREATE TEMP TABLE one (LIKE public.${table} INCLUDING DEFAULTS) ON COMMIT DROP`);
    const required = await query<{ name: string }>(
      `SELECT attname AS name FROM pg_attribute WHERE attrelid = 'one'::regclass AND attnum > 0 AND attnotnull AND attidentity = ''`,
    );
    for (const { name } of required) await query(`ALTER TABLE one ALTER ${name} DROP NOT NULL`);
    const [row] = await query<{ days: number }>(
      `INSERT INTO one (${column}) VALUES (DEFAULT) RETURNING (extract(epoch FROM ${column} - $1::timestamptz) / 86400)::float8 AS days`,
      [began],
    );
    defaults[`${table}.${column}`] = Math.round(row!.days);
    await query('DROP TABLE one');
    const real = await query(
      `SELECT FROM ${table} WHERE ${column} > $1 AND ${column} < pg_catalog.clock_timestamp() LIMIT 1`,
      [began],
    );
    if (real.length > 0) unmoved.push(`${table}.${column}`);
  }
});

// No mail about this address waits, so its minute, as in development, begins when the service looks.
const owner = { userId: 'nobody' as UserId, address: `0x${'1'.repeat(40)}` as Address };
await db.transaction(async (tx) => {
  // It is nobody's.
  await tx.query('SET LOCAL session_replication_role = replica');
  await insertWithdrawalAddress(tx, { ...owner, passkeyId: '', stopToken: '', notices: [] });
});
const states: (string | undefined)[] = [];
for (const seconds of [20, 20, 60]) {
  await moveClock(world, (now) => now + seconds * 1_000);
  states.push((await listWithdrawalAddresses(db, owner.userId))[0]?.state);
}
await opened.stop();
assert.ok(before.length > 0);
console.log(JSON.stringify({ defaults, unmoved, leases: { before, after }, states }));
process.exit();
