import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { RequestId } from '../../src/base/ids.ts';
import { openDatabase } from '../../src/db/database.ts';
import { auditLedger } from '../../src/diagnostics/audit/audit-ledger.ts';
import { readHealth } from '../../src/diagnostics/health/read-health.ts';
import { transitionRequests } from '../../src/settlement/transition-requests.ts';
import { assertHoldsAreTransfers, assertLedgerIsChain } from '../kit/service/audit.ts';
import { cancelTransfer } from '../kit/service/operator-acts.ts';
import { fundedPayment, statusOf } from '../kit/service/payment.ts';
import { ranBefore } from '../kit/service/ran-before.ts';
import { runCommand } from '../kit/service/run-command.ts';
import type { TestService } from '../kit/service/service.ts';
import { until } from '../kit/unit/until.ts';
import { changeAccounts } from '../rows/ledger.ts';
import { ago } from '../rows/times.ts';
import { changeTransfers } from '../rows/transfers.ts';
import { approve, ask, balancesOf, type Economy, isReady, isSuspended, payAndCancel } from './drill.ts';
import { restored } from './restored.ts';

const HOURS_MS = 3_600_000;

/** A database as of a moment, and what a game has paid since by calls with a key. */
async function lostKeyed(t: TestContext) {
  const before = await ranBefore(t);
  const { start, copyDatabase, game, guest } = before;
  const copy = await copyDatabase();
  const payout = (s: TestService, key: string | null, amount: number) =>
    ask(s, game, `POST /v1/accounts/${game.address}/transfer`, { amount, user: guest.userId }, key);
  const second = await start();
  await isReady(second);
  return { ...before, copy, payout, second };
}

const transferOf = async ({ service: { db } }: TestService, requestId: unknown) => {
  const [row] = await db.query<{ id: string; status: string; tx: string }>(
    `SELECT id, status, '0x' || encode(tx_hash, 'hex') AS tx FROM transfers WHERE request_id = $1`,
    [requestId],
  );
  return row!;
};

test('after an accepted loss repeated calls are completed by what had paid them, and restore begins at the backup', async (t) => {
  const { start, copy, payout, second, faulty, game, guest, errors } = await lostKeyed(t);
  const first = await Promise.all([payout(second, 'k1', 11), payout(second, 'k2', 12)]);
  await payout(second, 'other', 13);
  await payout(second, null, 14);
  const economy = { game, guests: [guest] } as unknown as Economy;
  const cancelled = await payAndCancel(second, economy, faulty);
  await second.settled();
  await second.stop();

  const processes = [await start(copy), await start(copy)] as const;
  for (const s of processes) await isSuspended(s);
  const [s, other] = processes;
  const accepted = await runCommand(s.service, 'suspension', 'accept', '--yes');
  assert.match(accepted.out, /\nPayments are accepted\.\n/);
  assert.equal(other.service.readiness.suspended, false, 'the other process has read it by now');

  const again = await Promise.all([payout(other, 'k1', 11), payout(s, 'k2', 12)]);
  const changed = await payout(s, 'other', 99);
  const ended = await ask(s, game, cancelled.what, cancelled.body, cancelled.key);
  // Hours later the game pays something else.
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 5 * HOURS_MS });
  await payout(s, null, 5);
  t.mock.timers.reset();
  await s.settled();
  for (const [i, { requestId }] of again.entries()) {
    const { status, tx } = await transferOf(s, requestId);
    assert.deepEqual([status, tx], ['completed', first[i]!.txId]);
  }
  assert.equal((await transferOf(s, changed.requestId)).status, 'failed');
  assert.equal((await transferOf(s, ended.requestId)).status, 'failed');
  await assertHoldsAreTransfers(s.service);
  await assertLedgerIsChain(s.service);
  assert.ok(errors.includes('the authorization of a transfer has paid something else: it has failed'));

  const { payments, quarters, differences, resumed } = await restored(s);
  // What no key had named, and what the repeated call said otherwise.
  assert.deepEqual([payments, quarters, differences, resumed], [2, 14 + 13, 0, true]);
  assert.deepEqual((await auditLedger(s.service)).differences, []);
  assert.match((await runCommand(s.service, 'restore', '--yes')).err, /not suspended/);
});

test('after an accepted loss an issue to a lost account waits for the restore, and then answers as the first time', async (t) => {
  const { start, copy, second, game } = await lostKeyed(t);
  const { address } = await second.createGuest(game);
  const issue = (s: TestService) => runCommand(s.service, 'issue', address, '77', '--key', 'issue 1');
  const first = await issue(second);
  assert.equal(first.code, 0, first.err);
  await second.settled();
  await second.stop();

  const s = await start(copy);
  await isSuspended(s);
  await runCommand(s.service, 'suspension', 'accept', '--yes');
  const early = await issue(s);
  assert.equal(early.code, 5, early.out);
  assert.match(early.err, /does not know whose this address is\. Run `quarters restore` first\./);
  assert.equal((await restored(s)).differences, 0);
  const idsIn = ({ out }: { readonly out: string }) => /Transfer +(\S+)\nTransaction +(\S+)/.exec(out)?.slice(1);
  for (const again of [await issue(s), await issue(s)]) assert.deepEqual(idsIn(again), idsIn(first));
  await s.settled();
  assert.equal((await balancesOf(s)).get(address.toLowerCase()), 77n);
  await assertLedgerIsChain(s.service);
});

test('a restore that finds a difference says whether payments are accepted', async (t) => {
  const { start, copy, payout, second, guest } = await lostKeyed(t);
  await payout(second, null, 14);
  await second.settled();
  await second.stop();
  const s = await start(copy);
  await isSuspended(s);
  await until('the payment is followed', async () => (await balancesOf(s)).get(guest.address.toLowerCase()) === 21n);
  await changeAccounts(s.service.db, { address: guest.address.toLowerCase() }, { posted: 1_021 });
  const suspended = await runCommand(s.service, 'restore', '--yes');
  assert.equal(suspended.code, 1);
  assert.match(suspended.err, /Payments stay suspended/);
  await runCommand(s.service, 'suspension', 'accept', '--yes');
  const resumed = await runCommand(s.service, 'restore', '--yes');
  assert.equal(resumed.code, 1);
  assert.match(resumed.err, /Payments are accepted meanwhile/);
  assert.doesNotMatch(resumed.out, /are equal/);
});

test('a transfer whose payer has spent the quarters elsewhere is named by restore, and cancelling ends it', async (t) => {
  const { start, copyDatabase, faulty, game, guest } = await ranBefore(t);
  const copy = await copyDatabase();
  const pay = (s: TestService, amount: number, key: string) =>
    ask(s, game, `POST /v1/accounts/${game.address}/transfer`, { amount, user: guest.userId }, key);
  await faulty.stopMining();
  const early = await start(copy);
  await isReady(early);
  const { requestId } = await pay(early, 60_000, 'early');
  await early.stop();
  await faulty.evm.rpc('anvil_dropAllTransactions');
  faulty.startMining();
  const second = await start();
  await isReady(second);
  await pay(second, 80_000, 'late');
  await second.settled();
  await second.stop();

  const s = await start(copy);
  await isSuspended(s);
  const { id } = await transferOf(s, requestId);
  const restored = await runCommand(s.service, 'restore', '--yes');
  assert.equal(restored.code, 0, restored.err);
  assert.match(restored.out, new RegExp(`have spent the quarters elsewhere\\.[^]*${id}`));
  await changeTransfers(s.service.db, { id }, { createdAt: ago('6 minutes') });
  const states = async () => (await readHealth(s.service)).checks.map(({ part, state }) => `${part}: ${state}`);
  await until('health is red', async () => (await states()).includes('Transfers on their way: bad'));
  await cancelTransfer(s.service, id);
  await until('it has failed', async () => (await transferOf(s, requestId)).status === 'failed');
  await assertHoldsAreTransfers(s.service);
  assert.deepEqual((await auditLedger(s.service)).differences, []);
});

test('requests that ended on the restored database before it was compared are found paid', async (t) => {
  const { start, copyDatabase, game } = await ranBefore(t);
  const first = await start();
  await isReady(first);
  const payments = [await fundedPayment(first, game), await fundedPayment(first, game)];
  await first.settled();
  await first.stop();
  const copy = await copyDatabase();
  const second = await start();
  await isReady(second);
  for (const payment of payments) await approve(second, payment);
  await second.settled();
  await second.stop();

  const db = openDatabase(copy);
  const [expired, cancelled] = payments.map(({ id }) => id as RequestId);
  await db.transaction((tx) => transitionRequests(tx, [expired!], 'expire', 'clock'));
  await db.transaction((tx) => transitionRequests(tx, [cancelled!], 'cancel', `app:${game.id}`));
  await db.close();
  const s = await start(copy);
  await isSuspended(s);
  assert.equal((await restored(s)).requests, 2);
  for (const { id } of payments) assert.equal(await statusOf(s, id), 'completed');
});
