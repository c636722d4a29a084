import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { readSettings } from '../../src/config/read-settings.ts';
import { connect } from '../../src/process/connect.ts';
import { readRunning } from '../../src/process/data-folder.ts';
import type { Service } from '../../src/service/service.ts';
import { countOpenTransfers } from '../../src/settlement/tables/transfers.ts';
import { NO_BROWSER, startBrowser } from '../kit/browser/browser.ts';
import { assertFitInLooks } from '../kit/browser/fit.ts';
import { HOUSE } from '../kit/service/house.ts';
import { scratchFolder } from '../kit/unit/scratch.ts';
import { until } from '../kit/unit/until.ts';
import { type Block, makeClone, openTerminal, patternOf, readBlocks, type Terminal } from './documented-steps.ts';

const TUTORIAL = 'docs/integrate/tutorial.md';
/** Commands that run until Ctrl-C, by the end of their block, and what they say when they are ready. */
const STAYING: readonly (readonly [end: RegExp, ready: RegExp])[] = [
  [/^npm start\n$/, /Ctrl-C stops/],
  [/--forward \S+\n$/, /Ctrl-C ends/],
  [/\nnode server\.mjs\n$/, /at http/],
];
const SILENT = { info() {}, warn() {}, error() {} };

test('every command and file of the tutorial works, in its order', async (t) => {
  const folder = await scratchFolder(t);
  const clone = join(folder, 'quarters');
  const dataDir = join(clone, 'data');
  await makeClone(clone);
  const game = await holdPort(t);
  // npm remembers each folder that `npx` was run in, and asks the network for news. Nothing here needs it.
  const npm = {
    npm_config_cache: join(folder, 'npm'),
    npm_config_offline: 'true',
    npm_config_update_notifier: 'false',
  };
  const env = { PORT: '0', ARCADE_PORT: '0', ...npm };
  const { blocks, rest } = await readBlocks(TUTORIAL);
  const terminals: Terminal[] = [];
  let port = '8080';
  const here = (text: string) => text.replaceAll('8080', port).replaceAll('3000', game.port);
  const player = NO_BROWSER ? null : await openPlayer(t, `http://localhost:${game.port}`);

  async function run({ text }: Block): Promise<void> {
    const ready = STAYING.find(([end]) => end.test(text))?.[1];
    if (text.includes('server.mjs')) await game.release();
    const terminal = await openTerminal(t, here(text), clone, env);
    terminals.push(terminal);
    if (!ready) return terminal.ends();
    await terminal.shows(ready);
    if (text.startsWith('npm start')) port = new URL((await readRunning(dataDir))!.publicUrl).port;
  }

  /** A command's view of the running service. */
  async function asCommand<T>(look: (service: Service) => T | Promise<T>, settings = {}): Promise<T> {
    const { service, close } = await connect(readSettings({ QUARTERS_DATA_DIR: dataDir, ...settings }), SILENT, HOUSE);
    try {
      return await look(service);
    } finally {
      await close();
    }
  }

  async function buy(): Promise<string | undefined> {
    // What the player was given must have arrived. On a busy machine that takes longer than the game waits.
    const isIdle = () => asCommand(async ({ db }) => (await countOpenTransfers(db, 1)) === 0);
    await until('the gift is on the chain', isIdle);
    return player?.buy();
  }

  const acted: string[] = [];
  async function act(prose: string): Promise<void> {
    if (/and buy a sword\.|Buy another sword\./.test(prose)) acted.push(`swords: ${await buy()}`);
    if (!prose.includes('Open the Console link')) return;
    const link = /http\S+token=\S+/.exec(terminals[0]!.output)![0];
    acted.push('console');
    await player?.lookAtGame(link, /balance is\s+([\d,]+): /.exec(prose)![1]!);
  }

  for (const [i, block] of blocks.entries()) {
    await act(block.prose);
    const { language, text, prose } = block;
    if (language === 'sh') await run(block);
    else if (language === 'js' || language === 'html') {
      const [, path = ''] = /Save this as `([^`]+)`:\s*$/.exec(prose) ?? [];
      await writeFile(join(clone, path), here(text));
    } else {
      assert.equal(language, '', `nobody runs a block of ${language}`);
      const pattern = patternOf(here(text));
      const isThere = () => terminals.some(({ output }) => pattern.test(output));
      // Without a browser nobody approves.
      if (acted.length > 0 && !player && !isThere()) continue;
      const repeated = prose.includes('look again') ? blocks[i - 1] : undefined;
      const look = async () => {
        if (!isThere() && repeated) await run(repeated);
        return isThere();
      };
      await until(`the tutorial's reader sees ${pattern}`, look, () =>
        terminals.map(({ output }) => output).join('\n'),
      );
    }
  }
  await act(rest);
  if (player) assert.deepEqual(acted, ['swords: 1', 'swords: 2', 'console']);

  // A command takes part in development mode only if it would start such a service itself.
  const isDevelopment = ({ development }: Service) => development;
  assert.equal(await asCommand(isDevelopment), true);
  for (const settings of [{ HOST: '0.0.0.0' }, { PUBLIC_URL: 'https://quarters.example' }]) {
    assert.equal(await asCommand(isDevelopment, settings), false);
  }
  for (const terminal of terminals.reverse()) await terminal.stop();
});

/**
 * A port that is free, and nobody else's until `release`. It is below those that systems give out by themselves, so that nobody else gets it
 * in the moment between `release` and the game's start.
 */
async function holdPort(t: TestContext): Promise<{ port: string; release(): Promise<void> }> {
  for (;;) {
    const port = randomInt(20_000, 32_000);
    const server = createServer().listen(port, 'localhost');
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    t.after(() => server.close());
    return {
      port: String(port),
      async release() {
        server.close();
        if (server.listening) await once(server, 'close');
      },
    };
  }
}

/** The reader, in a browser. */
async function openPlayer(t: TestContext, game: string) {
  const context = await (await startBrowser(t)).newContext({ reducedMotion: 'reduce' });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('pageerror', ({ message }) => complaints.push(message));
  const swords = page.getByText(/^Swords: \d+$/);
  return {
    /** Buys a sword and approves. Returns how many the game shows. */
    async buy(): Promise<string> {
      if (page.url() === 'about:blank') await page.goto(game);
      const before = await swords.innerText();
      await page.getByRole('button', { name: /Buy a sword/ }).click();
      const ours = page.frameLocator('iframe');
      await ours.locator('html[data-ready=true]').waitFor();
      await ours.getByRole('button', { name: 'Approve' }).click();
      await until('the game has the sword', async () => (await swords.innerText()) !== before);
      assert.deepEqual(complaints, []);
      return (await swords.innerText()).replace('Swords: ', '');
    },
    /** Follows the start screen's link to the game in the console, until it shows this balance. */
    async lookAtGame(link: string, balance: string): Promise<void> {
      const press = () => page.getByRole('button', { name: 'Sign in' }).click();
      await page.goto(link);
      await assertFitInLooks(page);
      await press();
      await page.getByRole('link', { name: 'All apps' }).click();
      await page.getByRole('link', { name: 'My Game' }).click();
      await until('the payments are on the chain', async () => {
        await page.reload();
        return (await page.getByText(balance).count()) > 0;
      });
      await page.getByRole('link', { name: 'Payments' }).click();
      const swords = page.getByRole('row').filter({ hasText: 'A sword' }).filter({ hasText: 'completed' });
      await swords.nth(1).waitFor();
      await swords.first().getByRole('link').first().click();
      await page.getByText('request.completed').first().waitFor();
      // The link again, and what asks for another one.
      for (const address of [link, new URL('/sign-in?again=true', link).href]) {
        await page.goto(address);
        if (address === link) await press();
        await page.getByText('npx quarters sign-in-link').waitFor();
        await assertFitInLooks(page);
      }
    },
  };
}
