import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readEconomy } from '../../src/features/economy/read-economy.ts';
import { appFlowRows } from '../../src/pages/operator/economy/app-flows-table.ts';
import { change } from '../../src/pages/operator/economy/change.ts';
import { flowGroups, stockRows, totalOf } from '../../src/pages/operator/economy/flow-table.ts';
import { periodOf } from '../../src/pages/operator/economy/period-choice.ts';
import { createDeveloper } from '../developer/developer.ts';
import { createOperator } from '../operator/operator.ts';
import { sharedService } from '../support/shared-service.ts';
import { tellStory } from './story.ts';

const NOW = new Date('2026-11-23T12:00:00Z');

test('an address names a period by its name or by a day in it, and anything else is this month', () => {
  const named = (query: Record<string, string>) => periodOf(query, NOW).name;
  assert.equal(named({ period: 'month', at: '2026-10' }), '2026-10');
  assert.equal(named({ period: 'week', on: '2026-11-01' }), '2026-W44');
  assert.equal(named({ period: 'year' }), '2026');
  for (const query of [{}, { period: 'constructor' }, { at: '2026-W44' }, { at: '2026-13', on: '2026-02-30' }]) {
    assert.equal(named(query as Record<string, string>), '2026-11');
  }
});

test('a change is said in words, and coloured only where it is good or bad', () => {
  const said = (...of: Parameters<typeof change>) => String(change(...of));
  assert.equal(said(150n, 100n), 'Up 50% from 100');
  assert.equal(said(75, 100, 'more is good'), '<span class="bad">Down 25% from 100</span>');
  assert.equal(said(75, 100, 'more is bad'), '<span class="good">Down 25% from 100</span>');
  assert.equal(said(5, 0, 'more is good'), '<span class="good">Up from 0</span>');
  assert.equal(said(0n, 0n, 'more is good'), 'None before either');
  assert.equal(said(-20n, -10n), 'Down 100% from -10');
});

test('the economy in the operators’ console', async (t) => {
  const s = await sharedService(t);
  const { game, player, month } = await tellStory(s);
  const operator = await createOperator(s);
  const at = `?period=month&at=${month.name}`;

  await t.test('every table adds up to the figures', async () => {
    const economy = await readEconomy(s.service, month);
    const { sums, before } = economy;
    const groups = flowGroups(sums.flows, before.flows);
    const total = (title: string) => totalOf(groups.find((group) => group.title === title)!.rows).amount;
    assert.deepEqual([total('Into players’ hands'), total('Out of players’ hands')], [sums.sources, sums.sinks]);
    const volume = groups.slice(0, 3).reduce((sum, { rows }) => sum + totalOf(rows).amount, 0n);
    assert.equal(volume, sums.volume);
    for (const { name, opening, came, went, closing } of stockRows(economy)) {
      assert.equal(opening + came - went, closing, name);
    }
    assert.equal(appFlowRows(economy).at(-1)!.net, sums.stocks.apps - sums.opening.apps);
  });

  await t.test('the first page has the figures of the period, and nobody’s name', async () => {
    const { body, statusCode } = await operator.get(`/operator${at}&sort=net`);
    assert.equal(statusCode, 200);
    assert.match(body, /<dt>Spent by players<\/dt><dd>\d+<\/dd>/);
    assert.match(body, /Counted up to block [\d,]+, /);
    assert.match(body, new RegExp(`href="/operator/economy/apps/${game.id}\\?`));
    assert.doesNotMatch(body, new RegExp(`${player.userId}|Spender`));
    for (const odd of ['?period=__proto__&sort=__proto__', '?at=%00', '?period=year&at=9999']) {
      assert.equal((await operator.get(`/operator${odd}`)).statusCode, 200, odd);
    }
  });

  await t.test('a file has the numbers of its table', async () => {
    const { body, headers } = await operator.get(`/operator/economy/apps.csv${at}`);
    assert.equal(headers['content-disposition'], `attachment; filename="economy-apps-${month.name}.csv"`);
    const row = body.split('\r\n').find((line) => line.includes(game.id))!;
    assert.equal(row, `"${game.id}","'=Chess","2","55","60","0","10","45","1","905"`);
    for (const table of ['steps', 'flows', 'flows-by-app', 'stocks', 'balances']) {
      assert.equal((await operator.get(`/operator/economy/${table}.csv${at}`)).statusCode, 200, table);
    }
    assert.equal((await operator.get(`/operator/economy/constructor.csv${at}`)).statusCode, 404);
  });

  await t.test('an app’s page says what came in and went out, beside the month before', async () => {
    const { body } = await operator.get(`/operator/economy/apps/${game.id}${at}`);
    assert.match(body, /<dt>Balance<\/dt><dd>905<\/dd>/);
    assert.match(body, /Refunds<\/th><td class="number" data-label="Transfers">1<\/td>/);
    assert.equal((await operator.get(`/operator/economy/apps/nobody${at}`)).statusCode, 404);
  });

  await t.test('who spends the most is shown to an operator who has just signed in, and to nobody else', async () => {
    const late = await createOperator(s, { minutesAgo: 60 });
    const developer = await createDeveloper(s);
    for (const path of ['/operator/economy/spenders', '/operator/economy/spenders.csv']) {
      assert.match((await operator.get(`${path}${at}`)).body, new RegExp(player.userId), path);
      assert.match(`${(await late.get(`${path}${at}`)).headers.location}`, /^\/sign-in\?again=true/, path);
      assert.equal((await developer.get(`${path}${at}`)).statusCode, 404, path);
    }
    const { body } = await operator.get(`/operator/economy/spenders${at}`);
    assert.match(body, /Sam &quot;the&quot; Spender/);
    for (const path of ['/operator', '/operator/economy/flows.csv', `/operator/economy/apps/${game.id}`]) {
      assert.equal((await late.get(path)).statusCode, 200, path);
      assert.equal((await developer.get(path)).statusCode, 404, path);
    }
  });
});
