import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changeSince } from '../../src/pages/consoles/figures.ts';
import { operatorPage } from '../../src/pages/consoles/operator-frame.ts';
import { renderPage } from '../../src/web/shell.ts';
import type { Visitor } from '../../src/web/visitor.ts';
import { percentOf } from '../../src/wings/economy/base/percent.ts';
import { periodAt } from '../../src/wings/economy/base/periods.ts';
import { findPlayersToLookAt } from '../../src/wings/economy/features/find-players-to-look-at.ts';
import { rollUpBite } from '../../src/wings/economy/features/roll-up.ts';
import { appFlowRows } from '../../src/wings/economy/pages/app-flows-table.ts';
import { ECONOMY_SECTIONS, type EconomySection, economyPage } from '../../src/wings/economy/pages/economy-page.ts';
import { flowGroups, stockRows, totalOf } from '../../src/wings/economy/pages/flow-table.ts';
import { periodOf, periodSteps } from '../../src/wings/economy/pages/period-choice.ts';
import { shareRows } from '../../src/wings/economy/pages/shares.ts';
import { refusalsOf } from '../../src/wings/economy/store/refusals.ts';
import type { Economy } from '../../src/wings/economy/views/economy.ts';
import { readEconomy } from '../../src/wings/economy/views/read-economy.ts';
import { readLasting } from '../../src/wings/economy/views/read-lasting.ts';
import { en } from '../../words/en.ts';
import { NO_BROWSER, startBrowser } from '../kit/browser/browser.ts';
import { assertFitInLooks, assertFitScreen, DESKTOP, enlargeFigures, PHONE } from '../kit/browser/fit.ts';
import { notInTurn } from '../kit/run/turns.ts';
import { createDeveloper } from '../kit/service/developer.ts';
import { pay } from '../kit/service/history.ts';
import { createOperator } from '../kit/service/operator.ts';
import type { Person } from '../kit/service/people.ts';
import { sharedService } from '../kit/service/shared-service.ts';
import { tellStory } from '../kit/service/story.ts';
import { until } from '../kit/unit/until.ts';

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

test('each kind of period is chosen by its name, in the field of its kind', () => {
  const fields = (['day', 'week', 'month', 'year'] as const).map((kind) => {
    const page = String(periodSteps('/operator', periodAt(kind, NOW), NOW));
    const [, type, value] = /<input id="at" type="(\w+)" name="at" value="([^"]+)"/.exec(page)!;
    assert.equal(periodOf({ period: kind, at: value }, new Date()).name, value);
    return [type, value];
  });
  assert.deepEqual(fields, [
    ['date', '2026-11-23'],
    ['week', '2026-W48'],
    ['month', '2026-11'],
    ['number', '2026'],
  ]);
});

test('a change is said in words, and coloured only where it is good or bad', () => {
  const said = (...of: Parameters<typeof changeSince>) => String(changeSince(...of));
  assert.equal(said(150n, 100n), 'Up 50% from 100');
  assert.equal(said(75, 100, 'more is good'), '<span class="bad">Down 25% from 100</span>');
  assert.equal(said(75, 100, 'more is bad'), '<span class="good">Down 25% from 100</span>');
  assert.equal(said(5, 0, 'more is good'), '', 'what is new needs no words');
  assert.equal(said(0n, 0n, 'more is good'), '', 'nor does what was never there');
  assert.equal(said(7n, 7n), 'The same as before');
  assert.equal(said(-20n, -10n), 'Down 100% from −10');
});

/** As large as a real one: nine apps with long names, and figures of seven digits. */
function enlarged({ apps, ...economy }: Economy): Economy {
  const large = (value: unknown): unknown => {
    if (typeof value === 'bigint') return value * 54_321n;
    if (Array.isArray(value)) return value.map(large);
    if (typeof value !== 'object' || value === null || value instanceof Date) return value;
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, large(one)]));
  };
  const name = 'The Extraordinarily Long Adventures of Captain Quarterdeck';
  const nine = Array.from({ length: 9 }, (_, i) => ({
    ...apps[i % apps.length]!,
    name: `${name} ${i}`,
    payments: 1_234_567,
  }));
  return large({ ...economy, apps: nine }) as Economy;
}

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

  await t.test('each part of the economy has its address, and names nobody', async () => {
    const get = (path: string, query = at) => operator.get(`${path}${query}`);
    const [{ body, statusCode }, apps] = [
      await get('/operator'),
      await get('/operator/economy/apps', `${at}&sort=net`),
    ];
    assert.equal(statusCode, 200);
    assert.match(body, /<dt>Spent by players<\/dt><dd>\d+<\/dd>/);
    assert.match(body, /Counted up to block [\d,]+, /);
    assert.match(apps.body, new RegExp(`href="/operator/economy/apps/${game.id}\\?`));
    for (const path of Object.keys(ECONOMY_SECTIONS)) {
      const shown = await get(path);
      assert.equal(shown.statusCode, 200, path);
      assert.doesNotMatch(shown.body, new RegExp(`${player.userId}|Sam &quot;`));
      assert.match(shown.body, new RegExp(`href="${path}\\?[^"]+" aria-current="page"`));
    }
    for (const odd of ['?period=__proto__&sort=__proto__', '?at=%00', '?period=year&at=9999']) {
      assert.equal((await operator.get(`/operator${odd}`)).statusCode, 200, odd);
    }
  });

  await t.test('a file has the numbers of its table', async () => {
    const { body, headers } = await operator.get(`/operator/economy/apps.csv${at}`);
    assert.equal(headers['content-disposition'], `attachment; filename="economy-apps-${month.name}.csv"`);
    const row = body.split('\r\n').find((line) => line.includes(game.id))!;
    assert.equal(row, `"${game.id}","'=Chess","2","55","60","0","10","45","1","905"`);
    for (const table of ['steps', 'shares', 'flows', 'flows-by-app', 'stocks', 'balances']) {
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

  await t.test('inflation is the growth of what is not in the treasury', async () => {
    const { sums, ...economy } = await readEconomy(s.service, month);
    const opening = { ...sums.opening, supply: 1_200n, treasury: 200n };
    const stocks = { ...opening, supply: 1_350n, treasury: 50n };
    const distribution = [{ from: 100n, accounts: 30, quarters: 600n }];
    const top = { players: 1n, quarters: 270n };
    const rows = shareRows({ ...economy, sums: { ...sums, opening, stocks }, distribution, top });
    assert.deepEqual(
      rows.map(({ part, whole }) => percentOf(part, whole)),
      [30, 12.5, 20, 45],
    );
    assert.equal(percentOf(5n, 0n), null);
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

  await t.test('each question has a page and a file', async () => {
    const guest = await s.createGuest(game);
    await pay(s, game, { userId: guest.userId } as Person, 700);
    await assert.rejects(pay(s, game, player, 100_000), { code: 'insufficient-quarters' });
    await s.settled();
    // An hour later, because the week ends with a whole hour.
    const later = new Date(Date.now() + 3_600_000);
    const lasting = async () => (await readLasting(s.service, later)).apps.find(({ appId }) => appId === game.id)!;
    await until('the payout is counted', async () => {
      while (await rollUpBite(s.service));
      return (await lasting()).out === 710n;
    });
    // It has 205, after 710 went out and 55 came in. What was issued to it does not count.
    const { days, ...counted } = await lasting();
    assert.deepEqual(counted, { appId: game.id, name: '=Chess', left: 205n, out: 710n, in: 55n });
    assert.equal(days, (205 * 7) / 655);
    await findPlayersToLookAt(s.service);
    await until('the refusal is written', async () => (await refusalsOf(s.service.db, player.userId, 1)).length === 1);

    const rowOf = async (name: string, of: string) => {
      const page = await operator.get(`/operator/economy/${name}${at}`);
      assert.equal(page.statusCode, 200, name);
      assert.match(page.body, new RegExp(`href="/operator/economy/${name}\\.csv`), name);
      const { body, headers } = await operator.get(`/operator/economy/${name}.csv${at}`);
      assert.match(`${headers['content-disposition']}`, new RegExp(`"economy-${name}-[-\\d]+\\.csv"`));
      return body.split('\r\n').find((line) => line.includes(of));
    };
    assert.match((await rowOf('lasting', game.id))!, /","205","/);
    assert.match((await rowOf('lasting', 'Treasury'))!, /^"","Treasury",/);
    assert.equal(await rowOf('refusals', game.id), `"${game.id}","'=Chess","payout","insufficient-quarters","1"`);
    assert.match((await rowOf('never-paid', guest.userId))!, new RegExp(`"guest","${game.id}","'=Chess",".*","700"$`));
    assert.equal(await rowOf('never-paid', player.userId), undefined);
    const { body } = await operator.get(`/operator${at}`);
    for (const path of ['lasting', 'refusals', 'never-paid', 'look-farmed', 'gas', 'spenders']) {
      assert.match(body, new RegExp(`href="/operator/economy/${path}[?"]`));
      const [page, file] = [`/operator/economy/${path}`, `/operator/economy/${path}.csv`];
      for (const url of [page, file]) {
        assert.equal((await operator.get(`${url}?period=year&at=9998`)).statusCode, 200, url);
      }
    }
  });
  await t.test(
    'large figures and long names are whole on each page, or scroll where that is seen and the keyboard can',
    { skip: NO_BROWSER || notInTurn(2, 'economy pages') },
    async (t) => {
      const economy = enlarged(await readEconomy(s.service, month));
      const page = await (await startBrowser(t)).newPage();
      const url = `${s.origin}/operator`;
      const open = async (path: EconomySection) => {
        const shown = operatorPage({ csrf: '' } as Visitor, 'economy', economyPage(path, economy, 'received'));
        const body = String(await renderPage(s.app.shell, shown, { words: en, framed: false, runsScripts: true }));
        await page.unrouteAll();
        await page.route(url, (route) => route.fulfill({ body, contentType: 'text/html; charset=utf-8' }));
        await page.goto(url);
      };
      for (const path of Object.keys(ECONOMY_SECTIONS) as EconomySection[]) {
        await open(path);
        await assertFitInLooks(page, path);
        for (const digits of [7, 11] as const) {
          await enlargeFigures(page, digits);
          for (const width of [DESKTOP.width, 1024, PHONE.width]) {
            await page.setViewportSize({ width, height: 800 });
            await assertFitScreen(page, `${path}, ${digits} digits, ${width} px`);
          }
        }
      }
      await open('/operator/economy/apps');
      await page.setViewportSize(PHONE);
      const wide = page.getByRole('group', { name: 'Apps by received' });
      await until('the end that has more is marked', async () => (await wide.getAttribute('data-more')) === 'end');
      await wide.focus();
      await page.keyboard.press('ArrowRight');
      await until('both ends are marked', async () => (await wide.getAttribute('data-more')) === 'start end');
      await page.setViewportSize({ width: 2400, height: 900 });
      await open('/operator/economy/flows');
      const fitting = page.getByRole('group', { name: 'What each had' });
      await until(
        'what fits is no stop of the keyboard',
        async () => (await fitting.getAttribute('tabindex')) === null,
      );
    },
  );
});
