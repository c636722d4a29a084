import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { asAddress } from '../../src/base/address.ts';
import { auditLedger } from '../../src/diagnostics/audit/audit-ledger.ts';
import { giveGuestTokens } from '../../src/features/guests/create-guest.ts';
import { payUser } from '../../src/features/payments/pay-user.ts';
import { readRecoveryKit } from '../../src/views/custody/read-kit.ts';
import { createDatabase } from '../kit/service/database.ts';
import { createOperator } from '../kit/service/operator.ts';
import { ranBefore } from '../kit/service/ran-before.ts';
import { runCommand } from '../kit/service/run-command.ts';
import { atEnd } from '../kit/unit/at-end.ts';
import { asApp } from '../kit/unit/callers.ts';
import { balancesOf, growEconomy, isReady, isSuspended, payEverywhere } from './drill.ts';
import { restored } from './restored.ts';

test('without any backup, the kit, the master key and the chain give accounts, quarters and payments back', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'quarters-kit-'));
  atEnd(t, () => rmSync(folder, { recursive: true, force: true }));
  const RECOVERY_KIT_FILE = join(folder, 'recovery-kit.txt');
  const { start, game } = await ranBefore(t);
  const first = await start();
  await isReady(first);
  const economy = await growEconomy(t, first, game, 30);
  await payEverywhere(first, economy, economy.guests.slice(0, 5), 30);
  const before = await balancesOf(first);
  writeFileSync(RECOVERY_KIT_FILE, await readRecoveryKit(first.service));
  await first.stop();

  const s = await start(await createDatabase(t), false, { RECOVERY_KIT_FILE });
  await isSuspended(s);
  await restored(s);
  assert.deepEqual(await balancesOf(s), before);
  // The operator knows whose the game is, and the game who its guests are.
  const made = await runCommand(s.service, 'apps', 'create', '--id', game.id, '--name', 'Space Race', '--json');
  assert.equal(JSON.parse(made.out).address, game.address);
  const again = await runCommand(s.service, 'apps', 'create', '--id', game.id, '--name', 'Space Race');
  assert.match(again.err, /exists/);
  for (const { userId, address } of economy.guests) {
    assert.equal((await giveGuestTokens(s.service, asApp(game.id), userId)).address, address);
  }
  const [user, other] = [economy.guests[0]!, economy.guests[1]!];
  const payment = { from: asAddress(game.address), amount: 5, user: user.userId };
  await payUser(s.service, asApp(game.id), payment);
  await s.settled();
  const balances = await balancesOf(s);
  assert.equal(balances.get(user.address.toLowerCase()), before.get(user.address.toLowerCase())! + 5n);
  assert.equal(balances.get(other.address.toLowerCase()), before.get(other.address.toLowerCase()));
  const operator = await createOperator(s);
  assert.match((await operator.get(`/operator/users/${user.userId}`)).body, /Give a found account/);
  assert.deepEqual((await auditLedger(s.service)).differences, []);
});
