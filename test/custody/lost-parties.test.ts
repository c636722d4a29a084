import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asAddress } from '../../src/base/address.ts';
import { asQuarters } from '../../src/base/quarters.ts';
import { auditLedger } from '../../src/diagnostics/audit/audit-ledger.ts';
import { autoApprove } from '../../src/features/approvals/auto-approve.ts';
import { createRequest } from '../../src/features/requests/create-request.ts';
import { unclaimedRewards } from '../../src/ledger/rewards.ts';
import { grantMandate } from '../kit/service/grant-mandate.ts';
import { enableAutoApproval } from '../kit/service/operator-acts.ts';
import { newPayment, statusOf } from '../kit/service/payment.ts';
import { newPlayer } from '../kit/service/player.ts';
import { ranBefore } from '../kit/service/ran-before.ts';
import { runCommand } from '../kit/service/run-command.ts';
import type { TestService } from '../kit/service/service.ts';
import { asUser } from '../kit/unit/callers.ts';
import { until } from '../kit/unit/until.ts';
import { approve, isReady, isSuspended } from './drill.ts';
import { restored } from './restored.ts';

test('a reward spent since the backup is spent, even if the backup lacks the app where', async (t) => {
  const { start, copyDatabase } = await ranBefore(t);
  const first = await start();
  await isReady(first);
  const game = await first.createApp();
  const { user, grant } = await newPlayer(first, game, 100);
  await grant(30);
  await first.settled();
  await first.stop();
  const copy = await copyDatabase();
  const second = await start();
  await isReady(second);
  const { userId } = user;
  const grantSince = async ({ service }: TestService) => {
    const { code, err } = await runCommand(service, 'rewards', 'grant', userId, '20', '--key', 'since', '--yes');
    assert.equal(code, 0, err);
  };
  await grantSince(second);
  const since = await second.createApp();
  await enableAutoApproval(second.service, since.id);
  const limits = { maxPerTransfer: asQuarters(60), maxPerDay: asQuarters(60), days: 1 };
  await grantMandate(second.service.db, { userId, appId: since.id, ...limits });
  const caller = asUser(userId, since.id);
  const { id: requestId } = await createRequest(second.service, caller, { tokens: 60, appId: since.id });
  const terms = { requestId, clientId: since.id, userId, address: asAddress(user.address) };
  await autoApprove(second.service, caller, terms);
  await second.settled();
  await second.stop();

  const s = await start(copy);
  await isSuspended(s);
  await restored(s);
  const { db } = s.service;
  const spendable = () => unclaimedRewards(db, userId);
  assert.equal(await spendable(), 0n);
  await grantSince(s);
  assert.equal(await spendable(), 0n);
  const claimed = async () => (await db.query<{ sum: bigint }>('SELECT sum(amount) FROM reward_claims'))[0]!.sum;
  assert.equal(BigInt(await claimed()), 50n);
  assert.deepEqual((await auditLedger(s.service)).differences, []);

  const { code, err } = await runCommand(s.service, 'apps', 'create', '--id', since.id, '--name', 'Since');
  assert.equal(code, 0, err);
  const [request] = await db.query<{ status: string }>('SELECT status FROM requests WHERE id = $1', [requestId]);
  assert.equal(request?.status, 'completed');
  assert.equal(BigInt(await claimed()), 50n, 'nothing is taken twice');
  assert.deepEqual((await auditLedger(s.service)).differences, []);
});

test('what was spent of lost rewards is granted once, by a repeated grant or as the welcome reward', async (t) => {
  const { start, copyDatabase, game } = await ranBefore(t, { WELCOME_REWARD: '40' });
  const first = await start();
  await isReady(first);
  const player = await newPlayer(first, game, 100);
  const [one, other] = [await player.ask(10), await player.ask(60)];
  await first.settled();
  await first.stop();
  const copy = await copyDatabase();
  const second = await start();
  await isReady(second);
  await approve(second, one);
  const welcomed = () => unclaimedRewards(second.service.db, player.user.userId);
  await until('the player is welcomed', async () => (await welcomed()) === 40n);
  const grantLost = ({ service }: TestService) =>
    runCommand(service, 'rewards', 'grant', player.user.userId, '5', '--key', 'lost', '--yes');
  await grantLost(second);
  await approve(second, other);
  await second.settled();
  await second.stop();

  const s = await start(copy);
  await isSuspended(s);
  await restored(s);
  assert.equal(await statusOf(s, other.id), 'completed');
  const left = () => unclaimedRewards(s.service.db, player.user.userId);
  assert.equal(await left(), 0n);
  // Of 45 that the treasury has paid the player, the grant takes what it made, and the welcome reward the rest.
  await grantLost(s);
  assert.equal(await left(), 0n);
  await approve(s, await newPayment(s, game, { tokens: 1, guest: player.user }));
  await s.settled();
  const welcomes = () => s.service.db.query(`SELECT FROM rewards WHERE source = 'welcome' AND claimed = amount`);
  await until('the player is welcomed', async () => (await welcomes()).length === 1);
  assert.equal(await left(), 0n);
  assert.deepEqual((await auditLedger(s.service)).differences, []);
});
