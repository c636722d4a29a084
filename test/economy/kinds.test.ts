import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { ZERO_ADDRESS } from '../../src/base/address.ts';
import { type Database, openDatabase } from '../../src/db/database.ts';
import type { Service } from '../../src/service/service.ts';
import { PAYMENT_KINDS } from '../../src/settlement/accept/kinds.ts';
import type { Activity } from '../../src/views/accounts/read-activity.ts';
import { ACTIVITY_COLUMNS } from '../../src/views/inspection/activity-columns.ts';
import { periodAt } from '../../src/wings/economy/base/periods.ts';
import { noteEconomy, recountEconomy } from '../../src/wings/economy/features/note-accounts.ts';
import { rollUpBite } from '../../src/wings/economy/features/roll-up.ts';
import { openNote } from '../../src/wings/economy/jobs/economy-loop.ts';
import { exportPostings } from '../../src/wings/economy/views/export-postings.ts';
import { readAppFlows, readEconomy } from '../../src/wings/economy/views/read-economy.ts';
import { inspectTransfer } from '../../src/wings/operators-console/views/inspect-transfer.ts';
import { createDatabase } from '../kit/service/database.ts';
import { countEverything, readEconomyRows } from '../kit/service/economy-oracle.ts';
import { HOUSE } from '../kit/service/house.ts';
import { runCommand } from '../kit/service/run-command.ts';
import { atEnd } from '../kit/unit/at-end.ts';
import { insertAppRow } from '../rows/apps.ts';
import { changeAccounts, insertAccountRows, insertBlockRow, insertPostingRows, sumUpPostings } from '../rows/ledger.ts';
import { changeNotedDays } from '../rows/statistics.ts';
import { insertTransferRows } from '../rows/transfers.ts';
import { insertGuestRows } from '../rows/users.ts';

const [APP, OTHER_APP, USER] = ['A'.repeat(20), 'B'.repeat(20), 'U'.repeat(28)] as [string, string, string];
const [treasury, app, otherApp, player, outside, found] = ['11', '22', '33', '44', '55', '66'].map(
  (byte) => `0x${byte.repeat(20)}`,
) as [...[string, string, string, string, string, string]];
const MIDNIGHT = Date.UTC(2026, 0, 1);

type Move = readonly [from: string, to: string, amount: number, isOurs?: 'ours'];
/** A block each, an hour apart from midnight on. */
const MOVES: readonly Move[] = [
  [ZERO_ADDRESS, treasury, 1_000_000],
  [treasury, player, 5_000, 'ours'],
  [treasury, outside, 700, 'ours'],
  [outside, app, 60],
  [outside, player, 50],
  [outside, treasury, 40],
  [outside, outside, 30],
  [app, otherApp, 20],
  [app, app, 10],
  [player, outside, 9, 'ours'],
  [player, outside, 9],
  [player, app, 8],
  [player, treasury, 7, 'ours'],
  [treasury, ZERO_ADDRESS, 6],
  [app, player, 0],
  [player, player, 5, 'ours'],
];

async function openLedger(
  t: TestContext,
  moves: readonly Move[],
  timeOf: (block: number) => Date | null,
): Promise<Database> {
  const db = openDatabase(await createDatabase(t));
  atEnd(t, () => db.close());
  await insertAppRow(db, APP);
  await insertAppRow(db, OTHER_APP);
  await insertGuestRows(db, APP, [USER]);
  const sealedKey = new Uint8Array(1);
  await insertAccountRows(db, [{ address: ZERO_ADDRESS }, { address: outside }]);
  await insertAccountRows(db, [{ address: treasury, kind: 'treasury', sealedKey }]);
  await insertAccountRows(db, [
    { address: app, kind: 'app', appId: APP, sealedKey },
    { address: otherApp, kind: 'app', appId: OTHER_APP, sealedKey },
  ]);
  await insertAccountRows(db, [{ address: player, kind: 'user', userId: USER, sealedKey }]);
  await insertAccountRows(db, [{ address: found, kind: 'recovered', sealedKey }]);
  for (const [i, [fromAddress, toAddress, amount, isOurs]] of moves.entries()) {
    const moved = { fromAddress, toAddress, amount, txHash: `0x${String(i).padStart(64, '0')}` };
    await insertPostingRows(db, [{ ...moved, blockNumber: i + 1, postedAt: timeOf(i + 1) }]);
    if (isOurs) await insertTransferRows(db, [{ ...moved, status: 'completed', decidedBlock: i + 1 }]);
  }
  await insertBlockRow(db, moves.length);
  await sumUpPostings(db);
  return db;
}

/** Counts all there is, three postings at a time. */
async function rollUp(db: Database): Promise<void> {
  const log = { info() {}, warn() {}, error() {} };
  const settings = { finalAfter: 4 } as Parameters<typeof rollUpBite>[0]['settings'];
  const settlement = { final: { number: null, readAt: 0, isAsked: true } };
  while (await rollUpBite({ db, settings, log, settlement }, 3));
}

test('every log is counted as one kind, also those that no transfer explains, and apps’ flows add up', async (t) => {
  // The first blocks are from before times were stored. A clock goes back once.
  const db = await openLedger(t, MOVES, (block) =>
    block < 3 ? null : new Date(MIDNIGHT + (block === 9 ? 2 : block) * 3_600_000),
  );
  await rollUp(db);
  const rows = await readEconomyRows(db);
  assert.deepEqual(rows, await countEverything(db));
  const kinds = (of: string) =>
    rows.flows.filter((row) => row.startsWith(`month ${of}`)).map((row) => row.split(' ').slice(2).join(' '));
  assert.deepEqual(kinds('1970-01'), [' issue treasury player 1 5000', ' mint none treasury 1 1000000']);
  assert.deepEqual(kinds('2026-01'), [
    ' burn treasury none 1 6',
    ' deposit outside player 1 50',
    ' deposit outside treasury 1 40',
    ' issue treasury outside 1 700',
    ' merge player player 1 5',
    ' outside outside outside 1 30',
    ' return player treasury 1 7',
    ' unexplained player outside 1 9',
    ' withdrawal player outside 1 9',
    `${APP} deposit outside app 1 60`,
    `${APP} unexplained app app 1 10`,
    `${APP} unexplained app other-app 1 20`,
    `${APP} unexplained player app 1 8`,
    `${OTHER_APP} unexplained other-app app 1 20`,
  ]);
  const { from, until } = periodAt('month', new Date(MIDNIGHT));
  const { apps, counted } = await readAppFlows({ reads: db }, from, until);
  assert.deepEqual(
    apps.map(({ appId, opening, closing }) => [appId, opening, closing]),
    [
      [APP, 0n, 48n],
      [OTHER_APP, 0n, 20n],
    ],
  );
  assert.deepEqual([counted.block, counted.isWhole], [BigInt(MOVES.length), true]);
});

test('a transfer without a request was for the same in the figures, in the export and on its page', async (t) => {
  const ways: readonly [from: string, to: string, purpose: string][] = [
    [treasury, found, 'issue'],
    [treasury, app, 'issue'],
    [treasury, outside, 'issue'],
    [player, treasury, 'return'],
    [app, treasury, 'return'],
    [player, found, 'merge'],
    [found, player, 'merge'],
    [player, outside, 'withdrawal'],
    [found, outside, 'withdrawal'],
    // A restored database knows their requests once their players and apps are named.
    [app, player, 'payout'],
    [app, found, 'payout'],
    [player, app, 'payment'],
    [found, app, 'payment'],
  ];
  const amounts = ways.map((_, i) => 2 ** i);
  const db = await openLedger(
    t,
    ways.map(([from, to], i) => [from, to, amounts[i]!, 'ours'] as const),
    (block) => new Date(MIDNIGHT + block * 1_000),
  );
  await rollUp(db);
  assert.deepEqual(await readEconomyRows(db), await countEverything(db));
  const flows = await db.query<{ kind: string; amount: bigint }>(
    `SELECT kind, sum(amount)::bigint AS amount FROM economy_flows WHERE step = 'month' GROUP BY kind`,
  );
  const sumsOf = (purposes: readonly string[]) =>
    purposes.map((purpose) => ways.reduce((sum, way, i) => sum + (way[2] === purpose ? amounts[i]! : 0), 0));
  const kinds = flows.map(({ kind }) => kind);
  assert.deepEqual([...kinds].sort(), [...new Set(ways.map(([, , purpose]) => purpose))].sort());
  assert.deepEqual(
    flows.map(({ amount }) => Number(amount)),
    sumsOf(kinds),
  );

  const expected = ways.map(([, , purpose]) => purpose);
  const exported: string[] = [];
  const all = { from: new Date(MIDNIGHT), until: new Date(MIDNIGHT + 3_600_000) };
  for await (const page of await exportPostings({ reads: db }, all)) exported.push(...page.map(({ kind }) => kind));
  assert.deepEqual(exported, expected);

  const service = { db, reads: db, settings: { completeAfter: 1 }, chain: { contracts: {} } } as unknown as Service;
  const transfers = await db.query<{ id: string }>('SELECT id FROM transfers ORDER BY decided_block');
  const shown = await Promise.all(transfers.map(({ id }) => inspectTransfer(service, id)));
  assert.deepEqual(
    shown.map(({ purpose }) => purpose),
    expected,
  );
});

test('a way between two sides is of one kind of payment only', () => {
  const claimed = Object.values(PAYMENT_KINDS).flatMap(({ flow }) => Object.keys(flow));
  assert.equal(claimed.length, new Set(claimed).size);
});

test('what moved without an app is called by its purpose in a player’s activity', () => {
  const wordFor = (direction: 'in' | 'out', otherSide: 'treasury' | 'guest' | 'outside') =>
    ACTIVITY_COLUMNS.what.value({ kind: 'outside', posting: { direction, otherSide } } as Activity);
  assert.deepEqual(
    [wordFor('in', 'treasury'), wordFor('out', 'treasury'), wordFor('in', 'guest')],
    ['Issued by the operator', 'Returned from a closed account', 'Moved from a merged guest'],
  );
  assert.deepEqual([wordFor('in', 'outside'), wordFor('out', 'outside')], ['Deposit', 'Withdrawal']);
});

test('the flows of an account that was outside are counted again once it is ours', async (t) => {
  const db = await openLedger(t, MOVES, (block) => new Date(MIDNIGHT + block * 3_600_000));
  await changeAccounts(db, { address: player }, { kind: 'external', userId: null, sealedKey: null });
  await rollUp(db);
  assert.equal(await noteEconomy({ db }), true);
  await changeAccounts(db, { address: player }, { kind: 'user', userId: USER, sealedKey: new Uint8Array(1) });
  assert.equal(await noteEconomy({ db }), false);
  await recountEconomy({ db });
  assert.equal(await noteEconomy({ db }), true, 'nothing is counted, so nothing differs');
  await rollUp(db);
  assert.equal(await noteEconomy({ db }), true);
  assert.deepEqual(await readEconomyRows(db), await countEverything(db));
});

test('every difference in the life of a process is logged and counted again, at most once an hour', async (t) => {
  const db = await openLedger(t, MOVES, (block) => new Date(MIDNIGHT + block * 3_600_000));
  let now = 0;
  t.mock.method(performance, 'now', () => now);
  const logged: string[] = [];
  const log = { info() {}, warn() {}, error: (_: object, text: string) => void logged.push(text) };
  const note = openNote({ db, log }, () => {});
  const noteAfter = async (minutes: number) => {
    now += minutes * 60_000;
    await changeNotedDays(db, {}, { takenAt: new Date(0) });
    await note();
    return logged.splice(0);
  };
  const isOurs = (kind: 'user' | 'external') =>
    changeAccounts(
      db,
      { address: player },
      kind === 'user' ? { kind, userId: USER, sealedKey: new Uint8Array(1) } : { kind, userId: null, sealedKey: null },
    );
  const differs = ['the economy differs from the accounts, and is counted again from the first block'];
  await rollUp(db);
  assert.deepEqual(await noteAfter(5), []);
  for (const kind of ['external', 'user'] as const) {
    await isOurs(kind);
    assert.deepEqual(await noteAfter(60), differs, kind);
    await rollUp(db);
    assert.deepEqual(await noteAfter(5), [], 'it is counted again');
  }
  await isOurs('external');
  assert.match(
    (await noteAfter(5)).join(),
    /differs from the accounts again: it is counted again when an hour has passed/,
  );
  assert.deepEqual(await noteAfter(60), differs);
  await rollUp(db);
  assert.deepEqual(await readEconomyRows(db), await countEverything(db));
});

test('a period that is under way is compared with the same hours of the one before', async (t) => {
  const db = await openLedger(t, MOVES, (block) => new Date(MIDNIGHT + block * 3_600_000));
  await rollUp(db);
  const now = new Date(MIDNIGHT + 29.5 * 3_600_000);
  const day = await readEconomy({ reads: db }, periodAt('day', now), now);
  assert.deepEqual(day.comparedUntil, new Date(MIDNIGHT + 6 * 3_600_000));
  // The day before until six: 5,000 and 700 issued, and deposits of 60 and 50.
  assert.deepEqual([day.before.issued, day.before.volume, day.before.stocks.apps], [5_700n, 5_810n, 60n]);
  const before = await readEconomy({ reads: db }, periodAt('day', new Date(MIDNIGHT)), now);
  assert.equal(before.comparedUntil, null);
  assert.deepEqual(before.sums.stocks, day.sums.opening);
  assert.deepEqual(before.steps.map(({ volume }) => volume).slice(1, 7), [0n, 5_000n, 700n, 60n, 50n, 40n]);
});

test('the command shows a period as tables and as JSON, and refuses a name of none', async (t) => {
  const db = await openLedger(t, MOVES, (block) => new Date(MIDNIGHT + block * 3_600_000));
  await rollUp(db);
  const run = (...args: string[]) =>
    runCommand({ db, reads: db, house: HOUSE } as unknown as Service, 'economy', ...args);
  const { code, out } = await run('--at', '2026-W01');
  assert.equal(code, 0);
  assert.match(out, /^Counted up to +block 16, \d/);
  assert.match(out, /\n2026-W01 +NOW +BEFORE\n/);
  assert.match(out, /\nSupply +999,994 +0\n/);
  assert.match(out, /\nIn apps’ hands +68 +0\n/);
  assert.match(out, /\nTest Game +0 +0 +0 +0 +0 +48 +A{20}\n/);
  const json = JSON.parse((await run('--at', '2026', '--json')).out);
  assert.deepEqual([json.period.name, json.sums.stocks.supply, json.steps.length], ['2026', 999_994, 12]);
  assert.equal((await run('--at', '2026-13')).code, 2);
  assert.equal((await run('--at', '2026-11', '--period', 'week')).code, 2);
  assert.equal((await run('--at', '2026-11', '--period', 'month')).code, 0);
});
