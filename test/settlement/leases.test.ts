import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asAddress } from '../../src/base/address.ts';
import { Outgoing } from '../../src/chain/outgoing.ts';
import { insertRelayer, type RelayerPurpose } from '../../src/chain/relayers.ts';
import { readSettings } from '../../src/config/read-settings.ts';
import { openDatabase } from '../../src/db/database.ts';
import { newProcess } from '../../src/membership/processes.ts';
import type { Service, Settlement } from '../../src/service/service.ts';
import { leaseKeeper } from '../../src/settlement/leases.ts';
import { createDatabase } from '../kit/service/database.ts';
import { atEnd } from '../kit/unit/at-end.ts';
import { putClockBack } from '../rows/transfers.ts';

test('relayers are shared evenly among processes, whichever started first', async (t) => {
  const db = openDatabase(await createDatabase(t));
  atEnd(t, () => db.close());
  for (let i = 1; i <= 4; i++) {
    const address = asAddress(`0x${i.toString(16).padStart(40, '0')}`);
    await insertRelayer(db, { address, purpose: 'settlement', keyId: Buffer.alloc(16) });
  }
  const operator = asAddress(`0x${'9'.repeat(40)}`);
  await insertRelayer(db, { address: operator, purpose: 'operator', keyId: Buffer.alloc(16) });
  const keeper = () => {
    const settlement = { leases: [], outgoing: new Outgoing() } as unknown as Settlement;
    const settings = readSettings({ RELAYERS: '3' });
    const readiness = { compared: 'done', trusted: false, unproven: null, proven: { less: null } };
    const loopFaults = new Map();
    const service = { db, settlement, settings, readiness, loopFaults, self: newProcess() } as unknown as Service;
    return { settlement, ...leaseKeeper(service) };
  };
  const leasesOf = (purpose: RelayerPurpose) =>
    processes.map(({ settlement }) => settlement.leases.filter((lease) => lease.purpose === purpose));
  const held = () =>
    leasesOf('settlement')
      .map(({ length }) => length)
      .sort();
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
  assert.deepEqual(
    [addresses.length, new Set(addresses).size],
    [5, 5],
    'each relayer has one process that sends for it',
  );
  assert.equal(leasesOf('operator').flat().length, 1);
  for (const { settlement } of processes)
    assert.equal(settlement.relayers.length, 3, 'every process may sign with each relayer in use');
  await processes.shift()!.release();
  await rounds();
  assert.deepEqual(held(), [2, 2]);
  assert.equal(leasesOf('operator').flat().length, 1, "another process took the operator's relayer");

  // Both end without releasing their leases, and then the database's clock is put back.
  await putClockBack(db, '1 hour');
  processes.splice(0, 2, keeper());
  await rounds();
  assert.deepEqual(held(), [4]);
});
