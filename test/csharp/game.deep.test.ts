import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Page } from 'playwright-core';
import { freePort } from '../../src/http/listen.ts';
import { NO_BROWSER, startBrowser } from '../kit/browser/browser.ts';
import { openPage, typeAddressAndCode, typeNameAndPassword } from '../kit/browser/browser-steps.ts';
import { DESKTOP } from '../kit/browser/fit.ts';
import { ourFrame } from '../kit/browser/game-page.ts';
import { profileOf, startGameSite } from '../kit/browser/game-site.ts';
import { OWN_SCHEME, opens } from '../kit/browser/own-scheme.ts';
import { newEmail } from '../kit/service/conversion.ts';
import { newPayment } from '../kit/service/payment.ts';
import { createPerson } from '../kit/service/people.ts';
import { startReceiver } from '../kit/service/receiver.ts';
import { startTestService, type TestApp, type TestService } from '../kit/service/service.ts';
import { addHook, PRIVATE_TARGETS } from '../kit/service/webhooks.ts';
import { atEnd } from '../kit/unit/at-end.ts';
import { scratchFolder } from '../kit/unit/scratch.ts';
import { until } from '../kit/unit/until.ts';
import { DRIVER, startDriver } from './driver.ts';
import { startLosingProxy } from './losing-proxy.ts';
import { compile, compileWithLibrary, LIBRARY, type MonoProgram, NO_MONO, startMono } from './mono.ts';

/** The next line that the game prints and that begins so, after those that were read before. */
function reader(game: MonoProgram) {
  let read = 0;
  return async (begin: string): Promise<string> => {
    let found = -1;
    await until(`the game prints "${begin}"`, () => {
      found = game.lines.findIndex((line, i) => i >= read && line.startsWith(begin));
      return found >= 0;
    });
    read = found + 1;
    return game.lines[found]!.slice(begin.length).trim();
  };
}

const press = async (page: Page, name: string) => {
  await page.locator('html[data-ready="true"]').waitFor();
  await page.getByRole('button', { name }).click();
};

test('a C# game against the service', { skip: NO_MONO || NO_BROWSER }, async (t) => {
  const service = await startTestService(t, { env: PRIVATE_TARGETS });
  const site = await startGameSite(t);
  const app = await service.createApp({
    redirectUris: [OWN_SCHEME, 'http://127.0.0.1/callback'],
    frameAncestors: [site],
    publicClient: true,
  });
  await service.issue(app.id, 1_000);
  const receiver = await startReceiver(t);
  const hook = await addHook(service, app.id, receiver.url);
  const folder = await scratchFolder(t);
  const program = await compileWithLibrary(folder, 'Game.exe', [`${LIBRARY}/Samples~/Console/*.cs`]);
  const settings = {
    QUARTERS_URL: service.origin,
    QUARTERS_APP_ID: app.id,
    QUARTERS_APP_ADDRESS: app.address,
    QUARTERS_SERVER_KEY: app.serverKey,
    QUARTERS_REDIRECT_URI: OWN_SCHEME,
    QUARTERS_FOLDER: folder,
  };
  const browser = await startBrowser(t);
  const { page } = await openPage(browser, { viewport: DESKTOP });
  let game = startMono(t, program, settings);
  let prints = reader(game);
  const restart = () => {
    game = startMono(t, program, settings);
    prints = reader(game);
  };
  const buy = async () => {
    game.write('buy');
    await page.goto(await prints('open '));
  };

  await t.test('a guest buys, and comes back by the game’s own scheme', async () => {
    assert.equal(await prints('quarters '), '100');
    await buy();
    const link = await opens(page, () => press(page, 'Approve'));
    game.write(link);
    assert.equal(await prints('payment '), 'Paid');
    await prints('you have a shield');
    assert.equal(await prints('quarters '), '75');
  });

  await t.test('a link that says paid is not believed', async () => {
    await buy();
    const requestId = new URL(page.url()).pathname.split('/').at(-1);
    game.write(`${OWN_SCHEME}?txId=0x1&requestId=${requestId}`);
    await opens(page, () => press(page, 'Decline'));
    assert.equal(await prints('payment '), 'Declined');
    assert.equal(await prints('quarters '), '75');
  });

  await t.test('a payment is refunded', async () => {
    await service.settled();
    game.write('refund');
    assert.equal(await prints('refunded '), '25');
    await service.settled();
  });

  await t.test('a payment approved while the game was dead is found at the next start', async () => {
    await buy();
    await game.kill();
    await opens(page, () => press(page, 'Approve'));
    restart();
    assert.equal(await prints('payment '), 'Paid');
    await prints('you have a shield');
    assert.equal(await prints('quarters '), '75');
    await game.kill();
    restart();
    assert.equal(await prints('quarters '), '75');
    assert.equal(game.lines.length, 1, 'a finished payment is not found again');
  });

  await t.test('a payment ends by reading when nothing comes back', async () => {
    await buy();
    await opens(page, () => press(page, 'Approve'));
    assert.equal(await prints('payment '), 'Paid');
    assert.equal(await prints('quarters '), '50');
  });

  await t.test('a guest wins and becomes a user who keeps the quarters', async () => {
    game.write('win');
    await prints('quarters ');
    await service.settled();
    game.write('sign-up');
    await page.goto(await prints('open '));
    await typeAddressAndCode(service, page, newEmail());
    await typeNameAndPassword(page);
    game.write(await opens(page, () => page.getByRole('button', { name: 'Finish' }).click()));
    assert.equal(await prints('playing as '), 'Ada');
    assert.equal(await prints('quarters '), '60');
  });

  const driver = startDriver(
    t,
    await compile(folder, 'Driver.exe', DRIVER, {
      references: ['Quarters.dll', 'Quarters.Server.dll'],
    }),
  );

  await t.test('the server that docs/integrate/unity.md starts gives what was paid for', async () => {
    const own = await startDocumentedServer(t, service, app, join(folder, 'my-server'));
    const call = async (path: string, body: object) => {
      const response = await fetch(own + path, { method: 'POST', body: JSON.stringify(body) });
      return (await response.json()) as { accessToken: string; pageToken: string; hasShield: boolean };
    };
    const { accessToken, pageToken } = await call('/guest', {});
    const headers = { authorization: `Bearer ${accessToken}` };
    const payload = { tokens: 25, appId: app.id };
    const asked = await service.app.inject({ method: 'POST', url: '/v1/requests', headers, payload });
    const requestId = asked.json<{ id: string }>().id;
    assert.deepEqual(await call('/bought', { requestId }), { hasShield: false });
    const query = new URLSearchParams({ inline: 'true', firebase_token: pageToken, redirect_uri: OWN_SCHEME });
    await page.goto(`${service.origin}/requests/${requestId}?${query}`);
    await opens(page, () => press(page, 'Approve'));
    assert.deepEqual(await call('/bought', { requestId }), { hasShield: true });
  });

  await t.test('a webhook of the service is verified', async () => {
    await until('an event has come', () => receiver.received.some(({ event }) => event.type === 'request.completed'));
    const { body, headers, id } = receiver.received.find(({ event }) => event.type === 'request.completed')!;
    const told = { do: 'webhook', body, headers };
    assert.match(await driver.gives({ ...told, secrets: [hook.secret] }), new RegExp(`^request.completed ${id} `));
    assert.equal((await driver.throws({ ...told, secrets: ['whsec_AAAA'] })).name, 'VerificationException');
  });

  await t.test('twenty payments through a proxy that loses replies are paid once each', async () => {
    const guest = await service.createGuest(app);
    const proxy = await startLosingProxy(t, service.origin, (deed) => deed % 4);
    const { address: appAddress, serverKey } = app;
    const told = { do: 'pay', url: proxy.url, appAddress, serverKey, user: guest.userId };
    const paid = await Promise.all(Array.from({ length: 20 }, () => driver.gives<string>(told)));
    assert.equal(new Set(paid).size, 20);
    assert.ok(proxy.lost >= 30, `${proxy.lost} replies were lost`);
    // One more is lost as often as it is tried. The same key settles it.
    const unlucky = await startLosingProxy(t, service.origin, () => 2);
    const order = { ...told, url: unlucky.url, retries: 1, key: 'order-7' };
    assert.equal((await driver.throws(order)).name, 'OutcomeUnknownException');
    await driver.gives(order);
    await service.settled();
    const [account] = await service.service.db.query<{ posted: string }>(
      'SELECT posted FROM accounts WHERE user_id = $1',
      [guest.userId],
    );
    assert.equal(Number(account!.posted), 21 * 5);
  });

  await t.test('on a desktop, the browser comes back to a port of the game', async () => {
    const person = await createPerson(service);
    await service.issue(person.userId, 10);
    const context = await profileOf(browser, service, person);
    const desk = await context.newPage();
    const file = join(folder, 'opened');
    const opened = async (n: number) => {
      const addresses = async () => (await readFile(file, 'utf8').catch(() => '')).split('\n');
      await until('a page is to be opened', async () => (await addresses()).length > n);
      return (await addresses())[n - 1]!;
    };
    const done = driver.gives<string>({ do: 'loopback', url: service.origin, app: app.id, file });
    await desk.goto(await opened(1));
    await desk.getByRole('button', { name: 'Allow', exact: true }).click();
    await desk.getByText('return to the game').waitFor();
    const { origin } = new URL(desk.url());
    const other = await fetch(`${origin}/callback?code=x&state=forged`);
    assert.equal(other.status, 404);
    await desk.goto(await opened(2));
    await press(desk, 'Approve');
    await desk.getByText('return to the game').waitFor();
    assert.equal(await done, `Ada Paid ${origin}/callback`);
  });

  await t.test('the plugin for WebGL opens our page over the game and brings the answer', async () => {
    const { page } = await openPage(browser, { viewport: DESKTOP });
    await page.goto(site);
    // What Unity's build puts around a plugin.
    await page.evaluate(`Object.assign(window, {
      LibraryManager: { library: {} },
      mergeInto: Object.assign,
      UTF8ToString: (pointer) => pointer,
      told: [],
      SendMessage: (...message) => told.push(message),
    })`);
    await page.addScriptTag({ content: await readFile(join(LIBRARY, 'Plugins/WebGL/Quarters.jslib'), 'utf8') });
    const ask = async (id: string) => {
      const payment = await newPayment(service, app);
      await service.issue(payment.guest.userId, 100);
      const options = { requestId: payment.id, pageToken: payment.guest.pageToken, clientId: app.id };
      const told = [`${service.origin}/quarters.js`, 'approve', JSON.stringify(options), id, 'Quarters 1'];
      await page.evaluate(`LibraryManager.library.QuartersOpenPage(...${JSON.stringify(told)})`);
      return payment.id;
    };
    const told = async (id: string) => {
      const messages = () => page.evaluate<string[][]>('told');
      await until(`the game is told of ${id}`, async () =>
        (await messages()).some(([, , text]) => text!.startsWith(`${id} `)),
      );
      const [receiver, method, text = ''] = (await messages()).find(([, , text]) => text!.startsWith(`${id} `))!;
      assert.deepEqual([receiver, method], ['Quarters 1', 'OnQuartersAnswer']);
      return Object.fromEntries(new URLSearchParams(text.slice(id.length + 1)));
    };

    const first = await ask('one');
    await (await ourFrame(page)).getByRole('button', { name: 'Approve' }).click();
    const paid = await told('one');
    assert.equal(paid.requestId, first);
    assert.match(paid.txId ?? '', /^0x/);
    await ask('two');
    await (await ourFrame(page)).getByRole('button', { name: 'Decline' }).click();
    assert.deepEqual(await told('two'), { cancel: 'true' });
    await ask('three');
    await ourFrame(page);
    await page.getByRole('button', { name: 'Close' }).click();
    assert.deepEqual(await told('three'), {});
  });
});

/** The server of the page for Unity, word for word but for its addresses. Returns where it listens. */
async function startDocumentedServer(
  t: TestContext,
  service: TestService,
  app: TestApp,
  folder: string,
): Promise<string> {
  const source = await readFile(new URL('../../examples/unity-server/server.mjs', import.meta.url), 'utf8');
  const port = String(await freePort());
  const installed = join(folder, 'node_modules/quarters-sdk');
  await mkdir(installed, { recursive: true });
  await writeFile(join(installed, 'package.json'), '{"type":"module","exports":"./index.js"}');
  const library = new URL('../../sdk/src/index.ts', import.meta.url).href;
  await writeFile(join(installed, 'index.js'), `export * from ${JSON.stringify(library)};`);
  await writeFile(join(folder, 'app.json'), JSON.stringify(app));
  const server = source.replaceAll('http://localhost:8080', service.origin).replaceAll('3000', port);
  await writeFile(join(folder, 'server.mjs'), server);
  const child = spawn(process.execPath, ['server.mjs'], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
  atEnd(t, () => void child.kill());
  await once(child.stdout, 'data');
  return `http://localhost:${port}`;
}
