import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asAddress } from '../../src/base/address.ts';
import { insertRelayer } from '../../src/chain/relayers.ts';
import { readSettings } from '../../src/config/read-settings.ts';
import { openDatabase } from '../../src/db/database.ts';
import type { Service, Settlement } from '../../src/usecases/service.ts';
import { leaseKeeper } from '../../src/worker/leases.ts';
import { atEnd } from '../support/at-end.ts';
import { createDatabase } from '../support/database.ts';

test('every process gets relayers as long as there are enough, whoever came first', async (t) => {
  const db = openDatabase(await createDatabase(t));
  atEnd(t, () => db.close());
  for (let i = 1; i <= 4; i++) {
    const address = asAddress(`0x${i.toString(16).padStart(40, '0')}`);
    await insertRelayer(db, { address, purpose: 'settlement', sealedKey: Buffer.of(0) });
  }
  const keeper = () => {
    const settlement = { leases: [] } as unknown as Settlement;
    const log = { info() {}, warn() {}, error() {} };
    const service = { db, settlement, log, settings: readSettings({ RELAYERS: '4' }) } as unknown as Service;
    return { settlement, ...leaseKeeper(service) };
  };
  const held = () => processes.map(({ settlement }) => settlement.leases.length).sort();
  const rounds = async () => {
    for (let i = 0; i < 3; i++) for (const process of processes) await process.keep();
  };

  const processes = [keeper()];
  await rounds();
  assert.deepEqual(held(), [4]);
  processes.push(keeper());
  await rounds();
  assert.deepEqual(held(), [2, 2]);
  processes.push(keeper());
  await rounds();
  assert.deepEqual(held(), [1, 1, 2]);
  const addresses = processes.flatMap(({ settlement }) => settlement.leases.map(({ address }) => address));
  assert.equal(new Set(addresses).size, 4, 'nobody shares a relayer');
  await processes.pop()!.release();
  await rounds();
  assert.deepEqual(held(), [2, 2]);
});
