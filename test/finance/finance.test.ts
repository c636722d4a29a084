import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toChecksum } from '../../src/base/address.ts';
import { lookUpAccountOfApp } from '../../src/ledger/accounts.ts';
import { type ExportedPosting, exportPostings } from '../../src/wings/economy/views/export-postings.ts';
import { readStatements } from '../../src/wings/economy/views/read-statements.ts';
import type { Statement } from '../../src/wings/economy/views/statements.ts';
import { addMember, createDeveloper } from '../kit/service/developer.ts';
import { createOperator } from '../kit/service/operator.ts';
import { runCommand } from '../kit/service/run-command.ts';
import { sharedService } from '../kit/service/shared-service.ts';
import { tellStory } from '../kit/service/story.ts';
import { insertPostingRows, removePostings } from '../rows/ledger.ts';

/** The lines of a statement that are not 0. */
const linesOf = (lines: Statement['in']) =>
  Object.fromEntries(lines.flatMap(({ kind, quarters }) => (quarters === 0n ? [] : [[kind, Number(quarters)]])));

/** The cells of a CSV file, by line. */
const cellsOf = (csv: string) =>
  csv
    .trim()
    .split('\r\n')
    .map((line) => line.slice(1, -1).split('","'));

test('statements and postings', async (t) => {
  const s = await sharedService(t);
  const { service, app: server } = s;
  const { db } = service;
  const story = await tellStory(s);
  const { game, other, player, month, lastMonth } = story;

  await t.test(
    'a statement adds up, continues the month before, and closes with the balance of the ledger',
    async () => {
      for (const period of [lastMonth, month]) {
        const { statements } = await readStatements(service, period);
        for (const one of statements) {
          assert.equal(one.opening + one.totalIn - one.totalOut, one.closing, one.app.name);
          if (period === month) {
            const account = await lookUpAccountOfApp(db, one.app.id);
            assert.equal(one.closing, account?.posted, one.app.name);
          }
        }
      }
      const of = async (period: typeof month, id: string) =>
        (await readStatements(service, period)).statements.find((one) => one.app.id === id);
      const [then, now] = [(await of(lastMonth, game.id))!, (await of(month, game.id))!];
      assert.deepEqual(
        [then.opening, linesOf(then.in), linesOf(then.out), then.closing, then.isFinal],
        [0n, { issue: 1_000, payment: 60 }, { payout: 200 }, 860n, true],
      );
      assert.deepEqual(
        [now.opening, linesOf(now.in), linesOf(now.out), now.closing, now.isFinal],
        [860n, { payment: 30, reward: 25 }, { refund: 10 }, 905n, false],
      );
      assert.equal(await of(lastMonth, other.id), undefined, 'an app without quarters has none');
      assert.deepEqual(linesOf((await of(month, other.id))!.in), { payment: 7 });
    },
  );

  await t.test('an export has every posting once, with what it was for, whatever its pages', async () => {
    const read = async (period: typeof month, most?: number, app: typeof game | null = null) => {
      const found: ExportedPosting[] = [];
      for await (const page of await exportPostings(service, period, app && (app.id as never), most))
        found.push(...page);
      return found;
    };
    const months = [...(await read(lastMonth)), ...(await read(month))];
    const pages = [...(await read(lastMonth, 1)), ...(await read(month, 1))];
    assert.deepEqual(pages, months);
    const [row] = await db.query<{ count: bigint; sum: bigint }>(
      'SELECT count(*), sum(amount)::bigint AS sum FROM postings WHERE amount > 0',
    );
    const since = await read({ ...month, from: new Date(0) });
    assert.deepEqual(
      [BigInt(since.length), since.reduce((sum, { amount }) => sum + amount, 0n)],
      [row!.count, row!.sum],
    );
    assert.deepEqual(
      (await read(month, 1, game))
        .map(({ kind, amount, requestId }) => [kind, amount, requestId === story.split])
        .sort(),
      [
        ['payment', 30n, true],
        ['refund', 10n, false],
        ['reward', 25n, true],
      ],
    );
    assert.ok(
      (await read(lastMonth, 3, game)).some(({ requestId, kind }) => requestId === story.payment && kind === 'payment'),
    );
  });

  await t.test('an export fails if a reorganisation changes what it has read', async () => {
    const pages = await exportPostings(service, month, null, 1);
    await pages.next();
    const [newest] = await db.query<{ number: bigint }>('SELECT max(block_number) AS number FROM postings');
    const txHash = `0x${'ab'.repeat(32)}`;
    await insertPostingRows(db, [
      {
        blockNumber: Number(newest!.number),
        logIndex: 9_999,
        txHash,
        fromAddress: player.address,
        toAddress: player.address,
        amount: 0,
      },
    ]);
    await assert.rejects(async () => {
      for await (const _ of pages);
    }, /reorganised/);
    await removePostings(db, { txHash });
  });

  await t.test(
    'the console shows them to operators only, and the postings only to one who has just signed in',
    async () => {
      const operator = await createOperator(s);
      const late = await createOperator(s, { minutesAgo: 60 });
      const developer = await createDeveloper(s);
      const path = '/operator/statements';
      const query = `?month=${month.name}`;
      const postings = `${path}/postings.csv${query}`;
      for (const url of [`${path}${query}`, `${path}.csv${query}`, `${path}/${game.id}${query}`, postings]) {
        assert.equal((await operator.get(url)).statusCode, 200, url);
        assert.equal((await developer.get(url)).statusCode, 404, url);
        assert.match(`${(await server.inject({ url })).headers.location}`, /^\/sign-in\?/, url);
      }
      assert.equal((await late.get(`${path}${query}`)).statusCode, 200);
      assert.match(`${(await late.get(postings)).headers.location}`, /^\/sign-in\?again=true/);

      const { body } = await operator.get(`${path}/${game.id}${query}`);
      assert.match(body, /Closing balance<\/th><td class="number"><\/td><td class="number" data-label="Quarters">905</);
      const [head, ...rows] = cellsOf((await operator.get(`${path}.csv${query}`)).body);
      const ofGame = rows.find((cells) => cells[1] === game.id)!;
      const cell = (name: string) => ofGame[head!.indexOf(`${name} (quarters)`)];
      assert.equal(ofGame[2], `'=Chess`, 'no formula');
      assert.deepEqual(
        ['opening', 'payments', 'rewards spent', 'total in', 'refunds', 'total out', 'closing'].map(cell),
        ['860', '30', '25', '55', '10', '10', '905'],
      );
      const [, ...exported] = cellsOf((await operator.get(`${path}/${game.id}/postings.csv${query}`)).body);
      assert.deepEqual(exported.map((cells) => [cells[7], cells[6], cells[5], cells[10]]).sort(), [
        ['payment', '30', game.address, game.id],
        ['refund', '10', toChecksum(player.address), game.id],
        ['reward', '25', game.address, game.id],
      ]);
    },
  );

  await t.test('an app’s team sees its statement, and nobody else does', async () => {
    const [viewer, stranger] = [await createDeveloper(s), await createDeveloper(s)];
    await addMember(s, game.id, viewer, 'viewer');
    for (const url of [`/developer/apps/${game.id}/statement`, `/developer/apps/${game.id}/statement.csv`]) {
      const { body } = await viewer.get(`${url}?month=${month.name}`);
      assert.match(body, />905<|"905"/, url);
      assert.equal((await stranger.get(url)).statusCode, 404, url);
    }
  });

  await t.test('the command line prints the same', async () => {
    const run = (...args: string[]) => runCommand(service, ...args);
    const shown = await run('statements', 'show', game.id, '--month', month.name);
    assert.match(shown.out, /^Opening balance +860$/m);
    assert.match(shown.out, /^- Refunds +1 +10$/m);
    assert.match(shown.out, /^Closing balance +905$/m);
    const { statements } = JSON.parse((await run('statements', 'export', '--month', month.name, '--json')).out);
    assert.equal(statements.find((one: { app: { id: string } }) => one.app.id === game.id).closing, 905);
    const { postings } = JSON.parse(
      (await run('postings', 'export', '--month', month.name, '--app', other.id, '--json')).out,
    );
    assert.deepEqual(
      postings.map((one: { kind: string; quarters: number }) => [one.kind, one.quarters]),
      [['payment', 7]],
    );
    assert.deepEqual(JSON.parse((await run('postings', 'export', '--month', '1999-01', '--json')).out), {
      postings: [],
    });
    assert.equal((await run('statements', 'show', game.id, '--month', '2026-13')).code, 2);
  });
});
