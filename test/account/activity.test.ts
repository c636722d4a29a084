import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { type Address, asAddress, toChecksum } from '../../src/base/address.ts';
import { type Hex, hexToBytes } from '../../src/base/hex.ts';
import { newRequestId, type RequestId } from '../../src/base/ids.ts';
import { asQuarters } from '../../src/base/quarters.ts';
import { lookUpAccount } from '../../src/ledger/accounts.ts';
import {
  type ActivityCursor,
  type ActivityPage,
  readActivity,
  wholeActivity,
} from '../../src/views/accounts/read-activity.ts';
import type { ActivitySearch } from '../../src/views/accounts/search-activity.ts';
import { grantMandate } from '../kit/service/grant-mandate.ts';
import { approve, askFor, move, pay } from '../kit/service/history.ts';
import { createPerson, type Person } from '../kit/service/people.ts';
import { startTestService, type TestService } from '../kit/service/service.ts';
import { visit } from '../kit/service/visits.ts';
import { until } from '../kit/unit/until.ts';
import { changePostings, insertAccountRows, insertPostingRows } from '../rows/ledger.ts';
import { changeRequests, insertApprovals, insertRequestRows } from '../rows/requests.ts';
import { ago } from '../rows/times.ts';
import { insertTransferRows } from '../rows/transfers.ts';
import { insertGuestRows } from '../rows/users.ts';

const OUTSIDE = asAddress(`0x${'0e'.repeat(20)}`);
const MANY = 20_000;

/** An outside account, which the test gives quarters, sends some. The service did not decide this transfer. */
async function deposit({ service, evm, settled, issue }: TestService, to: Address, amount: number): Promise<void> {
  if (amount > 0) await issue(OUTSIDE, amount);
  const { rpc, chain, db } = service;
  await rpc.call('anvil_impersonateAccount', [OUTSIDE]);
  await rpc.call('anvil_setBalance', [OUTSIDE, '0xde0b6b3a7640000']);
  const data = `0xa9059cbb${to.slice(2).padStart(64, '0')}${amount.toString(16).padStart(64, '0')}`;
  const hash = await rpc.call<Hex>('eth_sendTransaction', [{ from: OUTSIDE, to: chain.contracts.token, data }]);
  await until(
    `the deposit ${hash} to ${evm.url} is posted`,
    async () => (await db.query('SELECT FROM postings WHERE tx_hash = $1', [hexToBytes(hash)])).length > 0,
  );
  await settled();
}

/** The shown rows without tags. */
function rows(body: string): string[] {
  return [...body.matchAll(/<li class="activity">([\s\S]*?)<\/li>/g)].map(([, row]) =>
    row!
      .replace(/<[^>]+>/g, ' ')
      .replace(/\s+/g, ' ')
      .trim(),
  );
}

test('the activity page', async (t) => {
  const service = await startTestService(t);
  const { db } = service.service;
  const game = await service.createApp({ name: 'Chess "Royale"' });
  await service.issue(game.id, 10_000);

  await t.test('activity shows requests, payouts and transfers in words, newest first', async () => {
    const ada = await createPerson(service);
    const eve = await createPerson(service);
    await service.issue(ada.userId, 500);
    await deposit(service, ada.address, 40);
    const bought = await askFor(service, game, ada, 120, 'a sword');
    const { txHash } = await approve(service, bought);
    await pay(service, game, ada, 7);
    await service.settled();
    for (const [amount, event] of [
      [1, 'decline'],
      [2, 'expire'],
      [3, 'cancel'],
    ] as const) {
      await move(service, (await askFor(service, game, ada, amount)).id, event);
    }
    const open = await askFor(service, game, ada, 4);
    await askFor(service, game, eve, 999);

    const { body } = await visit(service, ada, '/account/activity');
    const shown = rows(body);
    const name = '“Chess ’Royale’”';
    const expected = [
      `${name} Waiting for your answer TIME 4 quarters`,
      `${name} Cancelled, nothing was taken TIME 3 quarters`,
      `${name} Expired, nothing was taken TIME 2 quarters`,
      `${name} You declined TIME 1 quarter`,
      `${name} Received TIME +7 quarters Transaction HASH`,
      `${name} “a sword” Paid TIME −120 quarters Transaction HASH`,
      `Deposit from ${toChecksum(OUTSIDE)} Received TIME +40 quarters Transaction HASH`,
      'From the operator of Quarters Received TIME +500 quarters Transaction HASH',
    ];
    const general = shown.map((row) =>
      row.replace(/\d+ \w{3,4} 20\d\d, \d\d:\d\d UTC/, 'TIME').replace(/0x[0-9a-f]{64}/, 'HASH'),
    );
    assert.deepEqual(general, expected);
    assert.ok(body.includes(`href="/requests/${open.id}"`));
    assert.ok(body.includes(`<code class="copy">${txHash}</code>`));
  });

  await t.test('a payment under a mandate says so, on the page and in the export', async () => {
    const hal = await createPerson(service);
    await service.issue(hal.userId, 50);
    const limits = { maxPerTransfer: asQuarters(30), maxPerDay: asQuarters(30), days: 1 };
    await grantMandate(db, { userId: hal.userId, appId: game.id, ...limits });
    await approve(service, await askFor(service, game, hal, 20));
    const taken = await askFor(service, game, hal, 30);
    await approve(service, taken, 'mandate');
    await service.settled();
    const shown = rows((await visit(service, hal, '/account/activity')).body);
    assert.match(shown[0]!, / Paid within your spending limit .* −30 quarters/);
    assert.match(shown[1]!, / Paid \d.* −20 quarters/);
    const { body } = await visit(service, hal, '/account/export.csv');
    assert.deepEqual(
      body
        .split('\r\n')
        .slice(0, 4)
        .map((line) => line.split(',').at(-1)),
      ['"without asking"', '"true"', '"false"', '""'],
    );
    await changeRequests(db, { id: taken.id }, { status: 'submitted' });
    const { body: later } = await visit(service, hal, '/account/activity');
    assert.match(rows(later)[0]!, / On its way, within your spending limit /);
  });

  await t.test('a payment in progress says so', async () => {
    const bob = await createPerson(service);
    await service.issue(bob.userId, 10);
    const request = await askFor(service, game, bob, 10);
    await changeRequests(db, { id: request.id }, { status: 'submitted' });
    assert.match(
      rows((await visit(service, bob, '/account/activity')).body)[0]!,
      /Approved, on its way .* −10 quarters/,
    );
    await changeRequests(db, { id: request.id }, { status: 'failed' });
    assert.match(
      rows((await visit(service, bob, '/account/activity')).body)[0]!,
      /Failed\. Anything not paid was returned to you .* 10 quarters/,
    );
  });

  await t.test('transfers of zero quarters, which anyone can send, are not shown', async () => {
    const carol = await createPerson(service);
    await deposit(service, carol.address, 0);
    assert.deepEqual(rows((await visit(service, carol, '/account/activity')).body), []);
  });

  await t.test('pages hold each entry once, even if new ones arrive between them', async () => {
    const dora = await createPerson(service);
    await insertPostings(service, dora, 30);
    await insertRequests(service, dora, game.id, 33);
    const seen: string[] = [];
    let url = '/account/activity';
    for (let page = 0; page < 10; page++) {
      const { status, body } = await visit(service, dora, url);
      assert.equal(status, 200);
      seen.push(...[...body.matchAll(/class="(?:moved|asked)">\+?([\d,]+)/g)].map(([, amount]) => amount!));
      await insertRequests(service, dora, game.id, 1, 90_000);
      const next = /href="([^"]+)" rel="next"/.exec(body)?.[1];
      if (!next) break;
      url = next;
    }
    assert.equal(seen.length, 63);
    assert.equal(new Set(seen).size, 63);
  });

  await t.test('a posting without a stored time is shown last, ordered by block', async () => {
    const gil = await createPerson(service);
    await insertPostings(service, gil, 4);
    await insertRequests(service, gil, game.id, 1, 20_000);
    await changeRequests(db, { userId: gil.userId }, { createdAt: ago('1 day') });
    await changePostings(db, { toAddress: gil.address, blockNumber: [1, 2, 3], logIndex: 0 }, { postedAt: null });
    const shown = rows((await visit(service, gil, '/account/activity')).body);
    const amounts = shown.map((row) => /([\d,]+) quarters/.exec(row)?.[1]);
    assert.deepEqual(amounts, ['1,001', '1,003', '20,002', '1,002', '1,004']);
    assert.deepEqual(
      shown.map((row) => row.includes('UTC')),
      [true, true, true, false, false],
    );
    const { body } = await visit(service, gil, '/account/export.csv');
    assert.match(body, /\r\n"","outside","completed","in","1002",.*\r\n"","outside","completed","in","1004",/);
  });

  await t.test(
    'a search finds game, message, amount, request and transaction, and only what is the user’s',
    async () => {
      const ida = await createPerson(service);
      const other = await service.createApp({ name: 'Äther_100%' });
      await service.issue(ida.userId, 5_000);
      await deposit(service, ida.address, 41);
      const sword = await askFor(service, game, ida, 1_234, 'a Sword of FIRE');
      const { txHash } = await approve(service, sword);
      await service.settled();
      const shield = await askFor(service, other, ida, 12, 'a shield');
      await move(service, shield.id, 'decline');
      const foreign = await askFor(service, game, await createPerson(service), 12, 'a sword of fire');
      const [{ hash } = { hash: '' }] = await db.query<{ hash: string }>(
        `SELECT '0x' || encode(tx_hash, 'hex') AS hash FROM postings WHERE to_address = $1 AND amount = 41`,
        [ida.address],
      );
      const found = async (query: Record<string, string>) => {
        const { status, body } = await visit(service, ida, `/account/activity?${new URLSearchParams(query)}`);
        assert.equal(status, 200, JSON.stringify(query));
        return rows(body).map((row) => /([\d,]+) quarters/.exec(row)?.[1]);
      };
      const cases: [string, string[]][] = [
        ['sword', ['1,234']],
        ['of fire', ['1,234']],
        ['chess', ['1,234']],
        ['äther_1', ['12']],
        ['0%', ['12']],
        ['1234', ['1,234']],
        ['+1,234', ['1,234']],
        // As other languages write it.
        ['−1.234', ['1,234']],
        ['1\u202f234', ['1,234']],
        ['\u200e+١,٢٣٤', ['1,234']],
        ['12', ['12']],
        ['41', ['41']],
        [sword.id.toUpperCase(), ['1,234']],
        [txHash, ['1,234']],
        [hash.toUpperCase().replace('0X', '0x'), ['41']],
        [foreign.id, []],
        ['_', ['12']],
        ["'; DROP TABLE requests", []],
        ['nothing \0 like it', []],
        ['9'.repeat(30), []],
        ['  ', ['12', '1,234', '41', '5,000']],
      ];
      for (const [q, amounts] of cases) assert.deepEqual(await found({ q }), amounts, q);
      const shown: [Record<string, string>, string[]][] = [
        [{ show: 'payments' }, ['1,234']],
        [{ show: 'received' }, ['41', '5,000']],
        [{ show: 'failed' }, ['12']],
        [{ show: 'waiting' }, []],
        [{ show: 'nonsense', app: "x'" }, ['12', '1,234', '41', '5,000']],
        [{ app: other.id }, ['12']],
        [{ app: other.id, show: 'payments' }, []],
        [{ show: 'failed', q: 'shield' }, ['12']],
        [{ show: 'failed', q: sword.id }, []],
      ];
      for (const [query, amounts] of shown) assert.deepEqual(await found(query), amounts, JSON.stringify(query));
      await changeRequests(db, { id: shield.id }, { status: 'submitted' });
      assert.deepEqual(await found({ show: 'waiting' }), ['12']);
      await changeRequests(db, { id: shield.id }, { status: 'pending', expiresAt: ago('1 second') });
      assert.deepEqual([await found({ show: 'waiting' }), await found({ show: 'failed' })], [[], ['12']]);
    },
  );

  await t.test('a search keeps its words from page to page, and offers to clear them if nothing matches', async () => {
    const joe = await createPerson(service);
    await insertRequests(service, joe, game.id, 30);
    const { body } = await visit(service, joe, '/account/activity?q=chess&show=failed');
    assert.equal(rows(body).length, 20);
    assert.match(body, /aria-current="true">Not paid</);
    assert.match(body, /name="q" value="chess"/);
    assert.match(body, /name="show" value="failed"/);
    assert.match(body, /href="\/account\/activity\?q=chess&amp;show=payments">Payments/);
    const next = /href="([^"]+)" rel="next"/.exec(body)?.[1]?.replaceAll('&amp;', '&');
    assert.match(next!, /\?q=chess&show=failed&before=/);
    const second = await visit(service, joe, next!);
    assert.equal(rows(second.body).length, 10);
    assert.match(second.body, /href="\/account\/activity\?q=chess&amp;show=failed">Newest/);
    const text = '<b>Call us: your account is in danger</b>';
    const none = await visit(service, joe, `/account/activity?${new URLSearchParams({ q: text })}`);
    assert.match(none.body, /No matches\.<\/p>\s*<p><a href="\/account\/activity">Clear/);
    assert.ok(!none.body.includes('<b>Call') && none.body.split('Call us').length === 2, 'only in the field');
  });

  await t.test(
    'a search that stops on its way continues there, in order, whichever list it is further in',
    async () => {
      for (const [minutesApart, order] of [
        [0.25, ['outside', 'outside', 'request', 'request', 'request']],
        [4, ['request', 'request', 'outside', 'request', 'outside']],
      ] as const) {
        const kim = await createPerson(service);
        // The requests are a minute apart: those 5, 11 and 39 minutes old match, and the third and twelfth posting.
        await insertRequests(service, kim, game.id, 40);
        await insertPostings(service, kim, 30, minutesApart);
        const all = await db.query<{ id: string }>(
          'SELECT id FROM requests WHERE user_id = $1 ORDER BY created_at, id',
          [kim.userId],
        );
        await changeRequests(db, { id: [34, 28, 0].map((n) => all[n]!.id) }, { amount: 1_003 });
        await changePostings(db, { toAddress: kim.address, blockNumber: 24, logIndex: 0 }, { amount: 1_003 });
        const pace = { size: 5, most: 2 };
        const search = { text: '1,003' };
        const seen: string[] = [];
        let views = 0;
        for (let before: ActivityCursor | undefined | null; before !== null; views++) {
          const page: ActivityPage = await readActivity(service.service, { id: kim.userId }, 20, before, search, pace);
          seen.push(...page.activities.map(({ kind }) => kind));
          before = page.next;
        }
        assert.deepEqual(seen, order);
        assert.ok(views >= 4, `${views} views of ten requests each`);
      }
    },
  );

  await t.test('a request that arrives between the statements of a search hides none of the older ones', async () => {
    for (const search of [{ kind: 'failed' }, { text: 'chess' }] as const) {
      const lea = await createPerson(service);
      await insertRequests(service, lea, game.id, 17);
      const ids = await db.query<{ id: string }>('SELECT id FROM requests WHERE user_id = $1', [lea.userId]);
      const busy = {
        ...db,
        query: (async (text, values) => {
          await insertRequests(service, lea, game.id, 1);
          return db.query(text, values);
        }) as typeof db.query,
      };
      const pace = { size: 5, most: 9 };
      const { activities } = await readActivity({ reads: busy }, { id: lea.userId }, 100, undefined, search, pace);
      const found = activities.map((activity) => activity.kind === 'request' && activity.request.id);
      assert.deepEqual(
        ids.map(({ id }) => id).filter((id) => !found.includes(id as RequestId)),
        [],
      );
      assert.equal(new Set(found).size, found.length);
    }
  });

  await t.test('a forged cursor is refused, and a foreign one shows nothing of other users', async () => {
    const erin = await createPerson(service);
    const mine = await askFor(service, game, await createPerson(service), 77);
    for (const before of ['x', '_', '-_-_', "'", '-_1.', `${mine.id}`, '-_99999999999999999999.0']) {
      const { status } = await visit(service, erin, `/account/activity?${new URLSearchParams({ before })}`);
      assert.equal(status, 400, before);
    }
    const { body } = await visit(
      service,
      erin,
      `/account/activity?before=${'f'.repeat(8)}-ffff-ffff-ffff-${'f'.repeat(12)}_-`,
    );
    assert.deepEqual(rows(body), []);
  });

  await t.test('a long history is read by its indexes, a page at a time', async () => {
    const fay = await createPerson(service);
    await insertRequests(service, fay, game.id, 600);
    await insertPostings(service, fay, 600);
    await insertOthers(service, game.id);
    await insertPostingsWithApp(service, fay, game.address);
    await db.query('ANALYZE');
    const statements: { text: string; values: readonly unknown[] }[] = [];
    const spied = {
      ...db,
      query: ((text, values = []) => {
        statements.push({ text, values });
        return db.query(text, values);
      }) as typeof db.query,
    };
    /** The plans of what a page view runs, and the most rows that one of them reads without showing them. */
    const planOf = async (search: ActivitySearch) => {
      statements.length = 0;
      await readActivity({ reads: spied }, { id: fay.userId }, 20, undefined, search);
      const plans = await Promise.all(
        statements.map(({ text, values }) => db.query(`EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, values)),
      );
      const plan = JSON.stringify(plans);
      assert.ok(!/"Seq Scan"[^{}]*"Relation Name":"(requests|postings|transfers)"/.test(plan), plan);
      const removed = [...plan.matchAll(/"Rows Removed by Filter":(\d+)/g)].map(([, count]) => Number(count));
      return { plan, mostRemoved: Math.max(0, ...removed) };
    };
    const { plan, mostRemoved } = await planOf({});
    for (const index of [
      'requests_by_user',
      'outside_postings_by_recipient',
      'outside_postings_by_sender',
      'transfers_by_request',
      'requests_pkey',
    ]) {
      assert.ok(plan.includes(index), `${index} in ${plan}`);
    }
    assert.ok(mostRemoved < 100, `what is not shown is not read: ${plan}`);
    const hash = `0x${'12'.repeat(32)}`;
    for (const search of [
      { text: 'x' },
      { text: '7' },
      { text: hash },
      { kind: 'waiting' },
      { appId: game.id },
    ] as const) {
      const searched = await planOf(search);
      assert.ok(searched.mostRemoved <= 600, `no more is read than is the user’s: ${searched.plan}`);
    }

    const seen: string[] = [];
    let most = 0;
    for await (const piece of wholeActivity(service.service, { id: fay.userId }, 50)) {
      most = Math.max(most, piece.length);
      seen.push(...piece.map((activity) => (activity.kind === 'request' ? activity.request.id : activity.txHash)));
    }
    assert.ok(most <= 100, `${most} at once`);
    assert.deepEqual([seen.length, new Set(seen).size], [1_200, 1_200]);
    const inPages: string[] = [];
    for (let before: ActivityCursor | undefined | null; before !== null; ) {
      const page: ActivityPage = await readActivity(service.service, { id: fay.userId }, 70, before);
      inPages.push(...page.activities.map((a) => (a.kind === 'request' ? a.request.id : a.txHash)));
      before = page.next;
    }
    assert.deepEqual(seen, inPages);
  });
});

/** Inserts postings as the follower would for such logs. */
async function insertPostings({ service }: TestService, to: Person, count: number, minutesApart = 1): Promise<void> {
  if (!(await lookUpAccount(service.db, OUTSIDE))) await insertAccountRows(service.db, [{ address: OUTSIDE }]);
  const now = Date.now();
  const rows = Array.from({ length: count }, (_, i) => {
    const n = i + 1;
    const block = count - Math.floor(n / 2);
    return {
      logIndex: n % 2,
      blockNumber: block,
      outsideBlock: block,
      amount: 1_000 + n,
      postedAt: new Date(now - n * minutesApart * 60_000),
    };
  });
  await insertPostingRows(
    service.db,
    rows.map((row) => ({ ...row, fromAddress: OUTSIDE, toAddress: to.address })),
  );
}

/** The many postings of an active player, newer than all others. */
async function insertPostingsWithApp({ service }: TestService, player: Person, app: string): Promise<void> {
  const [payment, payout] = [
    { fromAddress: player.address, toAddress: app.toLowerCase() },
    { fromAddress: app.toLowerCase(), toAddress: player.address },
  ];
  const rows = Array.from({ length: MANY }, (_, n) => ({ ...(n % 2 ? payment : payout), blockNumber: 100_001 + n }));
  await insertPostingRows(service.db, rows);
}

async function insertRequests(
  { service }: TestService,
  of: Person,
  appId: string,
  count: number,
  from = 0,
): Promise<void> {
  const now = Date.now();
  const ids = Array.from({ length: count }, () => newRequestId()).sort();
  const declined = {
    appId,
    userId: of.userId,
    fromAddress: of.address,
    toAddress: OUTSIDE,
    status: 'declined',
  } as const;
  await insertRequestRows(
    service.db,
    ids.map((id, n) => ({
      ...declined,
      id,
      amount: from + 2 + n,
      createdAt: new Date(now - (count - 1 - n) * 60_000),
    })),
  );
}

/** The requests and postings of many other users, so that an index pays off. */
async function insertOthers({ service: { db } }: TestService, appId: string): Promise<void> {
  const userIds = Array.from({ length: 500 }, (_, n) => `${n}`.padStart(28, '0'));
  await insertGuestRows(db, appId, userIds);
  const requests = Array.from({ length: MANY }, (_, n) => ({
    id: randomUUID(),
    appId,
    userId: userIds[n % 500]!,
    status: 'completed' as const,
  }));
  await insertRequestRows(db, requests);
  await insertApprovals(db, requests);
  const completed = { fromAddress: OUTSIDE, toAddress: OUTSIDE, status: 'completed', decidedBlock: 1 } as const;
  await insertTransferRows(
    db,
    requests.map(({ id }) => ({ ...completed, requestId: id })),
  );
  const addressOf = (n: number) => `0x${`${n}`.padStart(40, '0')}`;
  const between = (n: number) => ({ fromAddress: addressOf(n % 500), toAddress: addressOf(n % 499) });
  await insertPostingRows(
    db,
    requests.map((_, n) => ({ ...between(n), blockNumber: n + 1, outsideBlock: n + 1 })),
  );
}
