import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asQuarters } from '../../src/base/quarters.ts';
import { auditLedger } from '../../src/diagnostics/audit/audit-ledger.ts';
import { giveGuestTokens } from '../../src/features/guests/create-guest.ts';
import { issueQuarters } from '../../src/features/payments/issue-quarters.ts';
import { lockAudit } from '../../src/ledger/audit-lock.ts';
import { perTier } from '../kit/run/tier.ts';
import { assertProblem, call } from '../kit/service/call.ts';
import { commit } from '../kit/service/crash-points.ts';
import type { KillPoint } from '../kit/service/crash-service.ts';
import { issueAs } from '../kit/service/operator-acts.ts';
import { statusOf } from '../kit/service/payment.ts';
import { ranBefore } from '../kit/service/ran-before.ts';
import { runCommand } from '../kit/service/run-command.ts';
import type { TestService } from '../kit/service/service.ts';
import { asApp } from '../kit/unit/callers.ts';
import { until } from '../kit/unit/until.ts';
import {
  approve,
  ask,
  balancesOf,
  type Call,
  growEconomy,
  isReady,
  isSuspended,
  payAndCancel,
  payEverywhere,
  REFUND_OF_SINCE,
  restoreInProcess,
} from './drill.ts';
import { restored } from './restored.ts';

const GUESTS = perTier({ usual: 40, all: 2_000 });
const LATER = perTier({ usual: 20, all: 500 });
const PAYOUTS = perTier({ usual: 60, all: 2_500 });

/** Before and after each step that the command makes: payments, cancellations, requests, refunds, its entry in the log. */
const KILLS: readonly KillPoint[] = [
  commit('after', 'recovered_payments'),
  commit('before', 'transition_times [|][|]'),
  commit('before', 'recovered_payments'),
  commit('after', 'recovered_payments'),
  commit('after', 'transition_times [|][|]'),
  commit('before', 'recover chain'),
  commit('after', 'recover chain'),
  commit('before', 'operator_log'),
  commit('after', 'operator_log'),
];

test('an older backup has lost nothing that was paid since: keys, payments, requests, refunds and answers', async (t) => {
  const { start, copyDatabase, faulty, game } = await ranBefore(t, { TRANSFERS_PER_TRANSACTION: '50' });
  const first = await start();
  await isReady(first);
  const economy = await growEconomy(t, first, game, GUESTS);
  await first.stop();
  const copy = await copyDatabase();

  const second = await start();
  await isReady(second);
  const later = await Promise.all(Array.from({ length: LATER }, () => second.createGuest(game)));
  const calls = await payEverywhere(second, economy, later, PAYOUTS);
  const cancelled = await payAndCancel(second, economy, faulty);
  const before = await balancesOf(second);
  const paidBefore = await countPayments(second);
  // These are accepted, and no node ever sees them.
  faulty.proxy.reachable = false;
  const unmined = await Promise.all(
    Array.from({ length: 40 }, (_, i) => payUnmined(second, economy.game, later[i % LATER]!.userId, i)),
  );
  await second.stop();
  faulty.proxy.reachable = true;

  const s = await start(copy);
  await isSuspended(s);
  // This names a guest made since, who exists again by that.
  const refused = await call(s.app, calls[1]!.what, { token: game.serverKey, body: calls[1]!.body });
  assertProblem(refused, 503, 'payments-suspended');
  for (const point of KILLS.slice(0, perTier({ usual: 2, all: KILLS.length }))) {
    assert.doesNotMatch(
      await restoreInProcess(t, s, faulty.proxy.url, point),
      /"resumed"|"error"/,
      `killed at ${JSON.stringify(point)}`,
    );
  }
  assert.ok(s.service.readiness.suspended);
  // The database may notice a moment later that a killed command is gone.
  await until('its lock is free', () => s.service.db.transaction(lockAudit));
  // Of two at once, one is refused.
  const restored = await Promise.all([1, 2].map(() => runCommand(s.service, 'restore', '--yes', '--json')));
  const [done, other] = restored.toSorted((a, b) => a.code - b.code);
  assert.deepEqual([done!.code, other!.code], [0, 1], done!.err + other!.err);
  assert.match(other!.err, /restores or audits|not suspended/);
  const report = JSON.parse(done!.out);
  assert.deepEqual([report.differences, report.resumed, report.waiting, report.toOthers], [0, true, 0, 0]);
  const logged = await s.service.db.query<{ count: bigint }>(
    `SELECT count(*) AS count FROM operator_log WHERE action = 'database-restored'`,
  );
  assert.ok(logged[0]!.count >= 1n);
  assert.deepEqual(await countRecovered(s), { accounts: 0, requests: 4, refunds: 5, cancelled: 1 });
  assert.deepEqual(await balancesOf(s), before, 'all accounts that were paid have their quarters');
  assert.equal(await countPayments(s), paidBefore);

  await t.test('guests made since belong to their game again, by the ids that it was given', async () => {
    const other = await s.createApp();
    for (const { userId, address } of later) {
      await assert.rejects(giveGuestTokens(s.service, asApp(other.id), userId), { code: 'not-found' });
      assert.equal((await giveGuestTokens(s.service, asApp(game.id), userId)).address, address);
    }
  });

  await t.test('a repeated call gets the first answer, and pays nothing', async () => {
    const keyed = calls.filter(({ key }) => key !== null);
    const answers = await Promise.all(keyed.map(({ what, body, key }) => ask(s, game, what, body, key)));
    for (const [i, answer] of answers.entries()) assert.deepEqual(answer, keyed[i]!.answer, keyed[i]!.what);
    const issued = await issueQuarters(s.service, {
      recipient: later[0]!.address,
      amount: asQuarters(77),
      key: economy.issue,
    });
    assert.equal(issued.replayed, true);
    // Approved once more, say, by operators who do not know that it was.
    assert.equal((await issueAs(s.service, economy.action, later[0]!.address, 88)).state, 'done');
    const filed = await runCommand(
      s.service,
      'pay',
      '--file',
      economy.file,
      '--batch',
      economy.batch,
      '--yes',
      '--json',
    );
    const { paid, paidNow, unpaid } = JSON.parse(filed.out);
    assert.deepEqual([filed.code, paid > 0, paidNow, unpaid], [0, true, 0, 0], 'every row was paid before');
    const others = [keyed[0]!, keyed.find(({ key }) => key === 'refund 1')!];
    for (const { what, body, key } of others) {
      const headers = { 'idempotency-key': key! };
      const other = await call(s.app, what, { token: game.serverKey, body: { ...body, amount: 99 }, headers });
      assertProblem(other, 422, 'idempotency-mismatch');
    }
    await s.settled();
    assert.equal(await countPayments(s), paidBefore);
    const shown = await runCommand(s.service, 'transfers', 'show', `${keyed[0]!.answer.txId}`, '--json');
    assert.match(shown.out, /"status": "completed"/);
  });

  await t.test('what was approved or refunded since cannot be so again', async () => {
    for (const payment of economy.asked.slice(0, 3)) {
      assert.equal(await statusOf(s, payment.id), 'completed');
      await approve(s, payment);
    }
    assert.equal(await statusOf(s, economy.asked[3]!.id), 'pending');
    const refund = (id: string, body: object) =>
      call(s.app, `POST /v1/requests/${id}/refunds`, { token: game.serverKey, body });
    assertProblem(await refund(economy.bought[1]!, {}), 409, 'refund-too-large');
    assertProblem(await refund(economy.bought[2]!, { amount: 11 }), 409, 'refund-too-large');
    const since = calls.find(({ key }) => key === REFUND_OF_SINCE)!.answer.refundOf;
    const read = (token: string) => call(s.app, `GET /v1/requests/${since}`, { token });
    const { status, tokens, refunded } = (await read(game.serverKey)).json();
    assert.deepEqual([status, tokens, refunded], ['completed', 16, 4]);
    assert.equal((await read((await s.createApp()).serverKey)).statusCode, 404);
    assertProblem(await refund(`${since}`, { amount: 13 }), 409, 'refund-too-large');
    await s.settled();
    assert.equal(await countPayments(s), paidBefore);
  });

  await t.test('what was accepted and never mined, or cancelled, is paid once by repeating it', async () => {
    for (let time = 0; time < 2; time++) {
      await Promise.all([...unmined, cancelled].map(({ what, body, key }) => ask(s, game, what, body, key)));
    }
    await s.settled();
    assert.equal(await countPayments(s), paidBefore + BigInt(unmined.length + 1));
    for (const [address, amount] of await expectedAfter(s, before, [...unmined, cancelled], game.address)) {
      assert.equal((await balancesOf(s)).get(address) ?? 0n, amount, address);
    }
  });
  assert.deepEqual((await auditLedger(s.service)).differences, []);
});

test('a node that goes away ends the command, and a reorganisation pays again what was found', async (t) => {
  const before = await ranBefore(t);
  const { faulty, start, game } = before;
  const copy = await before.copyDatabase();
  const second = await start();
  await isReady(second);
  const later = await second.createGuest(game);
  await faulty.stopMining();
  await before.pay(second, 11);
  await before.pay(second, 22, later);
  await until('the node has both', async () => (await faulty.waiting()).length === 2);
  await second.stop();
  await faulty.mine();

  const s = await start(copy);
  await isSuspended(s);
  faulty.proxy.reachable = false;
  const alone = await runCommand(s.service, 'restore', '--yes');
  assert.notEqual(alone.code, 0);
  faulty.proxy.reachable = true;
  await isSuspended(s);
  await restored(s);
  assert.equal((await balancesOf(s)).get(later.address.toLowerCase()), 22n);

  // Nobody has the bytes of their transactions any more, so they are signed again, with the same nonces.
  await faulty.reorganise(1);
  await until('they are open again', async () => (await balancesOf(s)).get(later.address.toLowerCase()) === undefined);
  faulty.startMining();
  await until('they are paid again', async () => (await balancesOf(s)).get(later.address.toLowerCase()) === 22n);
  await s.settled();
  assert.deepEqual((await auditLedger(s.service)).differences, []);
});

async function payUnmined(
  s: TestService,
  game: Parameters<typeof ask>[1] & { address: string },
  user: string,
  i: number,
): Promise<Call> {
  const one = { what: `POST /v1/accounts/${game.address}/transfer`, body: { amount: 3, user }, key: `unmined ${i}` };
  return { ...one, paid: [{ user, amount: 3 }], answer: await ask(s, game, one.what, one.body, one.key) };
}

/** What was found, by how many runs whatsoever. */
async function countRecovered({ service: { db } }: TestService) {
  const count = async (of: string) =>
    Number((await db.query<{ count: bigint }>(`SELECT count(*) AS count FROM ${of}`))[0]!.count);
  return {
    accounts: await count(`accounts WHERE kind = 'recovered'`),
    requests: await count(`requests WHERE 'recover chain' = ANY(transitions) AND source = 'user'`),
    refunds: await count(`requests WHERE 'recover chain' = ANY(transitions) AND source = 'refund'`),
    cancelled: await count('recovered_payments WHERE transfer_id IS NULL'),
  };
}

/** How many payments of ours the ledger has. */
async function countPayments({ service }: TestService): Promise<bigint> {
  const [row] = await service.db.query<{ count: bigint }>('SELECT count(*) AS count FROM postings WHERE amount > 0');
  return row!.count;
}

/** The balances after these calls were paid once. */
async function expectedAfter(
  { service }: TestService,
  before: ReadonlyMap<string, bigint>,
  calls: readonly Call[],
  payer: string,
): Promise<Map<string, bigint>> {
  const expected = new Map(before);
  for (const { user, amount } of calls.flatMap(({ paid }) => paid)) {
    const [account] = await service.db.query<{ address: string }>('SELECT address FROM accounts WHERE user_id = $1', [
      user,
    ]);
    expected.set(account!.address, (expected.get(account!.address) ?? 0n) + BigInt(amount));
    expected.set(payer.toLowerCase(), expected.get(payer.toLowerCase())! - BigInt(amount));
  }
  return expected;
}
