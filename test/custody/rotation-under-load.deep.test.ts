import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { sealedPrefix } from '../../src/custody/data-key-rotation.ts';
import { localMasterKey } from '../../src/custody/master-key.ts';
import { openVault } from '../../src/custody/vault.ts';
import { SEALED_ACCOUNT_KEYS } from '../../src/ledger/account-keys.ts';
import { openCrashAudit } from '../kit/service/crash-audit.ts';
import { seedGames } from '../kit/service/crash-seeding.ts';
import { openWorldFromSnapshot } from '../kit/service/crash-world.ts';
import { seededRandom } from '../kit/unit/crash-random.ts';
import { scratchFolder } from '../kit/unit/scratch.ts';
import { sealKeys } from '../rows/sealed-keys.ts';

/** Together they pay about 200 times a second, where two cores are idle. */
const PAYERS = 24;
const OLD = 'b'.repeat(64);

test('master key and data key are replaced under load over two processes: nothing is refused, and the old ones open nothing', async (t) => {
  const path = join(await scratchFolder(t), 'master.key');
  await writeFile(path, OLD, { mode: 0o600 });
  const world = await openWorldFromSnapshot(t, { env: { RELAYERS: '4', MASTER_KEY: '', MASTER_KEY_FILE: path } });
  const services = [await world.startReady({ seat: 0 }), await world.startReady({ seat: 1 })];
  const origins = services.map(({ origin }) => origin);
  const { client } = await seedGames(world, origins[0]!, seededRandom(1));
  const { db, vault } = await world.operator();
  for (const table of ['accounts', 'relayers'] as const) await sealKeys(db, vault, table);
  const ending = new AbortController();
  t.after(() => ending.abort());
  const began = performance.now();
  const before = client.calls.length;
  const pay = async (origin: string) => {
    while (!ending.signal.aborted) await client.one(origin, 'pay');
  };
  const running = Promise.all(Array.from({ length: PAYERS }, (_, i) => pay(origins[i % 2]!)));

  const custody = async (...args: string[]) => {
    const output = await world.command(['custody', ...args, '--yes', '--json']);
    return JSON.parse(/^\{\n[\s\S]*?^\}/m.exec(output)?.[0] ?? `{"failed": ${JSON.stringify(output)}}`);
  };
  assert.equal((await custody('rotate-master')).step, 'both');
  assert.equal((await custody('rotate-master', '--finish')).step, 'replaced');
  const { sealing, resealed } = await custody('rotate-data');
  assert.equal(sealing, 2);
  assert.ok(resealed > 4, `${resealed} values were sealed anew`);
  await delay(500);
  ending.abort();
  await running;
  t.diagnostic(
    `${Math.round((client.calls.length - before) / ((performance.now() - began) / 1000))} payments a second`,
  );

  const notPaid = client.calls.slice(before).filter(({ answer, tries }) => answer?.outcome !== 'paid' || tries > 1);
  assert.deepEqual(
    notPaid.map(({ answer }) => answer),
    [],
  );
  await world.settled();
  const audit = openCrashAudit(world, client);
  for (const origin of origins) await audit.check(origin);

  await assert.rejects(openVault(db, localMasterKey(Buffer.from(OLD, 'hex'))), /does not belong to this database/);
  assert.notEqual((await readFile(path, 'utf8')).trim(), OLD);
  assert.deepEqual(await SEALED_ACCOUNT_KEYS.list(db, sealedPrefix(2), '', 10), []);
  await services[0]!.kill();
  await world.startReady({ seat: 0 });
});
