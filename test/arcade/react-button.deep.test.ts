import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import fastify from 'fastify';
import { packSdk } from '../../scripts/packages/sdk.ts';
import { NO_BROWSER, startBrowser } from '../kit/browser/browser.ts';
import { openPage, ourFrame } from '../kit/browser/game-page.ts';
import { fundedPayment } from '../kit/service/payment.ts';
import { sharedService } from '../kit/service/shared-service.ts';
import { atEnd } from '../kit/unit/at-end.ts';
import { scratchFolder } from '../kit/unit/scratch.ts';
import { until } from '../kit/unit/until.ts';

const run = promisify(execFile);
const ROOT = resolve(import.meta.dirname, '../..');
const MODULES = join(ROOT, 'node_modules');
const LONGEST = 100;

/** Where a bundler would find what the component imports, and what draws it. */
const IMPORTED: Readonly<Record<string, string>> = {
  react: 'react/cjs/react.production.js',
  'react/jsx-runtime': 'react/cjs/react-jsx-runtime.production.js',
  'react-dom': 'react-dom/cjs/react-dom.production.js',
  'react-dom/client': 'react-dom/cjs/react-dom-client.production.js',
  scheduler: 'scheduler/cjs/scheduler.production.js',
  'quarters-sdk/browser': 'quarters-sdk/dist/cjs/browser.js',
};

/** Draws the component. The page's functions stand for the game's server. */
const GAME = `
  const { createElement } = require('react');
  const checked = (window.checked = []);
  const props = {
    url: window.service,
    appId: window.app,
    ask: async () => window.asked ?? Promise.reject(new Error('The game cannot be reached')),
    check: async (requestId) => void checked.push(requestId),
  };
  const root = require('react-dom/client').createRoot(document.querySelector('#place'));
  root.render(createElement(require('./button').PayButton, props, 'Buy a shield'));
`;

test("the guide's button for React compiles, is short, and pays", { skip: NO_BROWSER }, async (t) => {
  const guide = await readFile(join(ROOT, 'docs/integrate/browser.md'), 'utf8');
  const component = /^```tsx\n([\s\S]*?)^```\n/m.exec(guide)![1]!;
  assert.ok(component.split('\n').length <= LONGEST);
  const bundle = await compile(await scratchFolder(t), component);

  const service = await sharedService(t);
  const site = fastify();
  site.get('/', (_request, reply) =>
    reply.type('text/html').send('<div id="place"></div><script src="/game.js"></script>'),
  );
  site.get('/game.js', (_request, reply) => reply.type('text/javascript').send(bundle));
  const game = await site.listen({ port: 0, host: '127.0.0.1' });
  atEnd(t, () => site.close());
  const app = await service.createApp({ frameAncestors: [game], redirectUris: [`${game}/back`] });

  const { context, page, complaints } = await openPage(await startBrowser(t));
  await context.addInitScript(
    `window.service = ${JSON.stringify(service.origin)}; window.app = ${JSON.stringify(app.id)};`,
  );
  const says = (text: string) =>
    until(`the button says "${text}"`, async () => (await page.getByRole('status').textContent()) === text);
  const buttonIsReady = () => page.locator('button:enabled', { hasText: 'Buy a shield' }).waitFor();
  for (const [decision, said] of [
    ['Approve', ''],
    ['Decline', 'The player declined.'],
  ] as const) {
    const { id: requestId, guest } = await fundedPayment(service, app);
    await page.goto(game);
    await page.evaluate(`window.asked = ${JSON.stringify({ requestId, pageToken: guest.pageToken })}`);
    await page.getByRole('button', { name: 'Buy a shield' }).click();
    await (await ourFrame(page)).getByRole('button', { name: decision }).click();
    await page.waitForFunction('checked.length > 0');
    await buttonIsReady();
    await says(said);
    assert.deepEqual(await page.evaluate('checked'), [requestId]);
  }
  await page.evaluate('window.asked = undefined');
  await page.getByRole('button', { name: 'Buy a shield' }).click();
  await says('The game cannot be reached');
  await buttonIsReady();
  assert.deepEqual(complaints, []);
});

/** As a game's bundler does it: the compiler checks and translates, and all modules go into one script. */
async function compile(folder: string, component: string): Promise<string> {
  const [file] = await packSdk({ out: folder });
  await mkdir(join(folder, 'node_modules/@types'), { recursive: true });
  for (const name of ['react', '@types/react', 'csstype'])
    await symlink(join(MODULES, name), join(folder, 'node_modules', name));
  await run('tar', ['-xzf', file!], { cwd: folder });
  await cp(join(folder, 'package'), join(folder, 'node_modules/quarters-sdk'), { recursive: true });
  await writeFile(join(folder, 'package.json'), '{}');
  await writeFile(join(folder, 'button.tsx'), component);
  const options = ['--jsx', 'react-jsx', '--module', 'node16', '--target', 'es2022', '--strict', '--types', 'react'];
  await run(process.execPath, [join(MODULES, 'typescript/bin/tsc'), ...options, 'button.tsx'], { cwd: folder });

  const pathOf = (file: string) =>
    join(file.startsWith('quarters-sdk/') ? join(folder, 'node_modules') : MODULES, file);
  const sources: [name: string, source: string][] = [['./button', await readFile(join(folder, 'button.js'), 'utf8')]];
  for (const [name, file] of Object.entries(IMPORTED)) sources.push([name, await readFile(pathOf(file), 'utf8')]);
  const modules = sources.map(([name, source]) => `${JSON.stringify(name)}(module, exports) {${source}\n}`);
  return `const modules = {${modules.join(',\n')}}, loaded = {};
    function require(name) {
      if (loaded[name]) return loaded[name].exports;
      const module = (loaded[name] = { exports: {} });
      modules[name](module, module.exports);
      return module.exports;
    }
    (() => {${GAME}})();`;
}
