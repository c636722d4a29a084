import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { asAddress } from '../../src/base/address.ts';
import { forgetRows } from '../../src/db/keep-until.ts';
import { refundRequest } from '../../src/features/payments/refund-request.ts';
import { createRequest } from '../../src/features/requests/create-request.ts';
import { lookUpApp } from '../../src/identity/apps.ts';
import { lookUpAccount } from '../../src/ledger/accounts.ts';
import { KEPT_APP_HOURS, NO_COUNTS } from '../../src/requests/app-hours.ts';
import type { RequestEvent } from '../../src/requests/states.ts';
import { readHistories } from '../../src/requests/transitions.ts';
import { countEvents } from '../../src/wings/economy/features/count-events.ts';
import { rollUpBite } from '../../src/wings/economy/features/roll-up.ts';
import { showStatistics } from '../../src/wings/economy/features/show-statistics.ts';
import { bucketOf, percentile } from '../../src/wings/economy/views/delays.ts';
import type { Statistics, Totals } from '../../src/wings/economy/views/read-statistics.ts';
import { seedOf } from '../kit/run/seed.ts';
import { asAdmin, PAUSE, UNPAUSE } from '../kit/service/admin.ts';
import { move } from '../kit/service/history.ts';
import { lockWaitersAre } from '../kit/service/lock-waiters.ts';
import { cancelTransfer } from '../kit/service/operator-acts.ts';
import { type Accepted, type Scenario, startScenario } from '../kit/service/scenario.ts';
import { sharedService } from '../kit/service/shared-service.ts';
import { asApp, asUser } from '../kit/unit/callers.ts';
import { randomNumbers } from '../kit/unit/fault-proxy.ts';
import { until } from '../kit/unit/until.ts';
import { insertCalls } from '../rows/calls.ts';
import { letHoursPass } from '../rows/statistics.ts';

const HOUR_MS = 3_600_000;
/** A view counts one bite of the ledger, and a bite is of one day. */
async function viewOf({ service, game }: Scenario, period: Statistics['period'] = '7d'): Promise<Statistics> {
  while (await rollUpBite(service));
  return showStatistics(service, (await lookUpApp(service.db, game.id))!, period);
}

/** Events are counted once every transaction has ended that was open when they were written, those of other tests too. */
async function allAreSettled({ service: { db }, game }: Scenario): Promise<void> {
  await until('every event can be counted', async () => {
    const open = await db.query(
      `SELECT FROM events WHERE app_id = $1
          AND position >= (SELECT lead + pg_snapshot_xmin(pg_current_snapshot())::text::bigint FROM event_clock)`,
      [game.id],
    );
    return open.length === 0;
  });
}

async function reorganise(s: Scenario, paid: Accepted): Promise<void> {
  await s.completed(paid);
  await s.calm();
  await s.faulty.stopMining();
  // What is seen before is taken back later.
  await viewOf(s);
  await letHoursPass(s.service.db, 3);
  const seen = (await s.movesOf(paid)).length;
  await s.faulty.reorganise(1);
  s.faulty.startMining();
  await until('it is completed again', async () => (await s.movesOf(paid)).length === seen + 2);
}

/** Anything that can happen to an app's requests and its balance. */
const ACTS: Record<string, (s: Scenario, amount: number) => Promise<unknown>> = {
  spend: (s, amount) => s.spend(0, amount),
  pay: (s, amount) => s.pay(1, amount),
  async decide(s, amount) {
    const caller = asUser(s.guests[2]!.userId, s.game.id);
    const { id } = await createRequest(s.service, caller, { tokens: amount, appId: s.game.id });
    const event = (['decline', 'expire', 'cancel'] satisfies RequestEvent[])[amount % 3]!;
    await move(s, id, event);
  },
  async refund(s, amount) {
    const paid = await s.spend(0, amount);
    await s.completed(paid);
    await refundRequest(s.service, asApp(s.game.id), { requestId: paid.requestId, amount: Math.ceil(amount / 2) });
  },
  async fail(s, amount) {
    await asAdmin(s, PAUSE);
    const { transferId } = await s.pay(1, amount);
    await cancelTransfer(s.service, transferId);
    await s.calm();
    await asAdmin(s, UNPAUSE);
  },
  reorganise: async (s, amount) => reorganise(s, await s.spend(0, amount)),
  deposit: (s, amount) => s.issue(s.game.id, amount),
};

test('statistics of a random history are what the requests and the ledger say of each hour', async (t) => {
  const seed = seedOf('faults');
  t.diagnostic(`FAULT_SEED=${seed}`);
  const random = randomNumbers(seed);
  const s = await startScenario(t);
  await s.completed(await s.pay(0, 2_000));
  const seen: { at: number; posted: bigint }[] = [];
  const acts = Object.values(ACTS);
  for (const act of [...acts, ...acts].sort(() => random() - 0.5).slice(0, acts.length + 3)) {
    await letHoursPass(s.service.db, 2);
    for (const one of seen) one.at -= 2 * HOUR_MS;
    const before = Date.now();
    await act(s, 1 + Math.floor(random() * 50));
    await s.calm();
    // A reorganisation lets three hours pass.
    if (act === ACTS.reorganise) for (const one of seen) one.at -= 3 * HOUR_MS;
    const account = await lookUpAccount(s.service.db, asAddress(s.game.address));
    seen.push({ at: Math.max(before, Date.now()), posted: account!.posted });
    if (random() < 0.4) await viewOf(s);
  }

  await allAreSettled(s);
  const { steps, totals, balance } = await viewOf(s, '24h');
  const whole = await viewOf(s);
  assert.ok(whole.isAll);
  assert.equal(balance, seen.at(-1)!.posted);
  for (const [from, until] of [...steps, null].map((step, i) => [steps[i - 1]?.from ?? null, step?.from ?? null])) {
    if (!from) continue;
    const expected = await happened(s, from, until ?? new Date(Date.now() + HOUR_MS));
    const counted = countsOf(steps.find((one) => one.from === from)!);
    assert.deepEqual(counted, expected, `the hour from ${from.toISOString()}`);
  }
  const { median, p95 } = whole.totals;
  assert.deepEqual(countsOf(whole.totals), await happened(s, new Date(0), new Date(Date.now() + HOUR_MS)));
  assert.ok(median! > 0 && p95! >= median!);
  assert.ok(totals.payments <= whole.totals.payments);

  const balanceIn = (at: number) => steps.findLast(({ from }) => from.getTime() <= at)?.balance;
  for (const { at, posted } of seen) {
    if (at < steps[0]!.from.getTime()) continue;
    assert.equal(balanceIn(at), posted);
    if (at + HOUR_MS < Date.now()) assert.equal(balanceIn(at + HOUR_MS), posted, 'and until it changes');
  }

  // After 90 days all of it is forgotten, but the balance with which the time begins that is still known.
  const { db } = s.service;
  await letHoursPass(db, 91 * 24);
  while ((await forgetRows(db, KEPT_APP_HOURS, 2)) === 2);
  const rowsOf = async (table: string) => (await db.query(`SELECT FROM ${table}`)).length;
  assert.deepEqual(await Promise.all(['app_hours', 'app_hour_delays'].map(rowsOf)), [0, 0]);
  const later = await viewOf(s, '30d');
  assert.deepEqual(new Set(later.steps.map((step) => step.balance)), new Set([balance]));
});

const NOTHING = { ...NO_COUNTS, received: 0n, paidOut: 0n, refunded: 0n };

/** What of some totals comes from requests, and what they moved. */
function countsOf(totals: Totals) {
  return Object.fromEntries(Object.keys(NOTHING).map((name) => [name, totals[name as keyof Totals]]));
}

/** Reads every request of the app, and counts what happened in a time and still holds. */
async function happened({ service: { db }, game }: Scenario, from: Date, until: Date) {
  const rows = await db.query<{ id: Accepted['requestId'] }>('SELECT id FROM requests WHERE app_id = $1', [game.id]);
  const sum = { ...NOTHING } as Record<string, number | bigint>;
  const add = (name: string, by: number | bigint) => {
    sum[name] = typeof by === 'bigint' ? (sum[name] as bigint) + by : (sum[name] as number) + by;
  };
  for (const { source, amount, transitions } of (
    await readHistories(
      db,
      rows.map(({ id }) => id),
    )
  ).values()) {
    const last = transitions.at(-1)!;
    const lasting = transitions.filter((one) => one === last || !['complete', 'fail'].includes(one.event));
    for (const { event } of lasting.filter((one) => from <= one.at && one.at < until)) {
      const [count, volume] = {
        user: ['payments', 'received'],
        payout: ['payouts', 'paidOut'],
        refund: ['refunds', 'refunded'],
      }[source] as [string, string];
      if (event === 'complete') {
        add(count, 1);
        add(volume, BigInt(amount));
      }
      const decision = {
        approve: 'approved',
        decline: 'declined',
        expire: 'expired',
        cancel: 'cancelled',
        fail: 'failed',
      }[event as string];
      if (decision) add(decision, 1);
    }
  }
  return sum;
}

async function startPayments(t: TestContext, count: number): Promise<Scenario> {
  const s = await startScenario(t);
  await s.completed(...(await Promise.all(Array.from({ length: count }, (_, i) => s.pay(i % 3, 5)))));
  await s.calm();
  return s;
}

test('events that several viewers count at once are counted once, in bites', async (t) => {
  const s = await startPayments(t, 40);
  const { db } = s.service;
  await allAreSettled(s);
  const partly = await countEvents(s.service, s.game.id, { bite: 3, most: 2 });
  assert.equal(partly.isAll, false);
  await Promise.all(Array.from({ length: 8 }, () => countEvents(s.service, s.game.id, { bite: 3, most: 20 })));
  const { totals, isAll, before } = await viewOf(s);
  assert.ok(isAll);
  assert.deepEqual([totals.payouts, totals.paidOut], [40, 200n]);
  assert.equal(before?.payouts, 0, 'events of 30 days are kept, so the week before is known');
  assert.equal((await viewOf(s, '30d')).before, null, 'the month before is not');

  // Payments lock accounts and requests; counting waits for none of them.
  await db.transaction(async (tx) => {
    await tx.query('SELECT FROM requests FOR UPDATE');
    await tx.query('SELECT FROM accounts FOR UPDATE');
    await tx.query('SELECT FROM apps FOR UPDATE');
    assert.ok((await viewOf(s)).isAll);
  });

  // More views than the service has connections: one of them counts for all, and the others hold none meanwhile.
  const { views } = await db.transaction(async (tx) => {
    await tx.query('SELECT FROM app_counts WHERE app_id = $1 FOR NO KEY UPDATE', [s.game.id]);
    const views = Promise.all(Array.from({ length: 30 }, () => viewOf(s)));
    await lockWaitersAre(s.service, 1);
    return { views };
  });
  for (const { totals } of await views) assert.equal(totals.payouts, 40);
});

test('errors of the API are counted by hour, and by code for the period', async (t) => {
  const s = await sharedService(t);
  const app = await s.createApp();
  const now = new Date();
  const at = (hoursAgo: number) => new Date(Math.floor(now.getTime() / HOUR_MS - hoursAgo) * HOUR_MS);
  const counts = [
    ...[
      { hour: at(0), status: 200, code: '', calls: 90 },
      { hour: at(0), status: 402, code: 'insufficient-quarters', calls: 7 },
    ],
    ...[
      { hour: at(5), status: 503, code: 'overloaded', calls: 2 },
      { hour: at(5), status: 402, code: 'insufficient-quarters', calls: 1 },
    ],
    { hour: at(30), status: 500, code: 'internal', calls: 4 },
  ];
  await insertCalls(
    s.service.db,
    app.id,
    [],
    counts.map((count) => ({ ...count, appId: app.id })),
  );
  const { totals, before, errors, steps } = await showStatistics(
    s.service,
    (await lookUpApp(s.service.db, app.id))!,
    '24h',
    now,
  );
  assert.deepEqual([totals.calls, totals.refused, totals.faults, before!.faults], [100, 8, 2, 4]);
  assert.deepEqual(errors, [
    { code: 'insufficient-quarters', count: 8 },
    { code: 'overloaded', count: 2 },
  ]);
  assert.deepEqual([steps.at(-1)!.refused, steps.at(-6)!.refused, steps.at(-6)!.faults], [7, 1, 2]);
});

test('a percentile from buckets is within a fifth of the exact one', () => {
  const random = randomNumbers(seedOf('faults'));
  const times = Array.from({ length: 1_000 }, () => 20 * 1.01 ** Math.floor(random() * 900)).sort((a, b) => a - b);
  const buckets = new Map<number, number>();
  for (const time of times) buckets.set(bucketOf(time), (buckets.get(bucketOf(time)) ?? 0) + 1);
  for (const share of [0.5, 0.95]) {
    const exact = times[Math.ceil(share * times.length) - 1]!;
    assert.ok(Math.abs(percentile(buckets, share)! / exact - 1) < 0.2);
  }
  assert.equal(percentile(new Map(), 0.5), null);
});
