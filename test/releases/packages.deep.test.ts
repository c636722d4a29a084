import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { startChild } from '../../local/child.ts';
import { atEnd } from '../kit/unit/at-end.ts';
import { skipWithout } from '../kit/unit/debian-packages.ts';
import { scratchFolder } from '../kit/unit/scratch.ts';
import { until } from '../kit/unit/until.ts';
import { nodesToTry } from './nodes.ts';

const run = promisify(execFile);
const ROOT = resolve(import.meta.dirname, '../..');

/** The first steps of the library's README, by `require`. */
const GAME = `
const { QuartersPlayer, QuartersServer } = require('quarters-sdk');
const { id: appId, address: appAddress, serverKey } = require('./data/demo-app.json');
const url = process.argv[2];
(async () => {
  const server = new QuartersServer({ url, serverKey, appAddress });
  const guest = await server.createGuest();
  await server.pay({ user: guest.user_id, amount: 50 }, { waitSeconds: 10 });
  const player = new QuartersPlayer({ url, appId, accessToken: guest.access_token });
  const { id } = await player.ask({ tokens: 25, description: 'A shield' });
  const { status, tokens, userId } = await server.request(id);
  console.log(status, tokens, userId === guest.user_id);
})();
`;

/** A test of a game, by `require`. */
const GAME_TEST = `
const { startEmulator } = require('quarters-emulator');
(async () => {
  const emulator = await startEmulator();
  const app = await emulator.apps.create();
  const player = await emulator.players.create({ app, quarters: 50 });
  console.log(player.kind, emulator.url.startsWith('http://localhost:'));
  await emulator.stop();
})();
`;

// The packages of NuGet are compiled.
const NO_MONO = skipWithout('mono-devel', 'libnewtonsoft-json5.0-cil');

test('packages are the same bytes when made twice, and work in an empty folder', { skip: NO_MONO }, async (t) => {
  const scratch = await scratchFolder(t);
  const [first, second] = [join(scratch, 'first'), join(scratch, 'second')];
  for (const out of [first, second]) {
    await run(process.execPath, [join(ROOT, 'scripts/release.ts'), 'pack', out], { cwd: ROOT });
    await run('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: out });
  }
  const sums = await readFile(join(first, 'SHA256SUMS'), 'utf8');
  assert.equal(await readFile(join(second, 'SHA256SUMS'), 'utf8'), sums);
  const listed = sums.split('\n').flatMap((line) => line.split('  ')[1] ?? []);
  assert.deepEqual((await readdir(first)).sort(), [...listed, 'SHA256SUMS'].sort());

  const folder = join(scratch, 'installed');
  await install(
    folder,
    listed.filter((name) => name.endsWith('.tgz')).map((name) => join(first, name)),
  );
  const program = join(folder, 'node_modules/quarters');
  const files = await readdir(program, { recursive: true });
  assert.deepEqual(
    files.filter((path) => /^(test|bench|scripts|node_modules|data)\/|(?<!\.d)\.ts$|\.test\./.test(path)),
    [],
  );

  for (const node of nodesToTry()) {
    const { stdout } = await run(node, [join(program, 'bin/quarters.mjs'), '--version'], { cwd: folder });
    assert.equal(stdout, `quarters ${/quarters-(\d\S+)\.tgz/.exec(sums)![1]} (Node.js ${process.version})\n`);
  }
  const node = nodesToTry().at(-1)!;
  const origin = await start(t, node, folder);
  await firstSteps(folder, dirname(node), origin);
  await writeFile(join(folder, 'game.js'), GAME);
  assert.equal((await run(node, ['game.js', origin], { cwd: folder })).stdout, 'pending 25 true\n');
  await writeFile(join(folder, 'game.test.js'), GAME_TEST);
  assert.equal((await run(node, ['game.test.js'], { cwd: folder })).stdout, 'guest true\n');
  await arcadeSuite(folder, node);
  const served = ['/', '/docs', '/docs/guides/sdk', '/docs/guides/browser', '/docs/operate/releases', '/openapi.json'];
  for (const path of [...served, '/quarters.js', '/quarters.d.ts', '/tour'])
    assert.equal((await fetch(origin + path)).status, 200, path);
});

/** As npm does it, with what is installed here, and without what only development needs. */
async function install(folder: string, packages: readonly string[]): Promise<void> {
  const modules = join(folder, 'node_modules');
  await mkdir(join(modules, '.bin'), { recursive: true });
  const lock = JSON.parse(await readFile(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: boolean }>;
  };
  const paths = Object.entries(lock.packages).flatMap(([path, { dev }]) => (path && !dev ? [path] : []));
  for (const path of [...paths.filter((path) => !path.slice(1).includes('node_modules')), 'node_modules/.bin/node']) {
    if (!existsSync(join(ROOT, path))) continue;
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await symlink(join(ROOT, path), join(folder, path));
  }
  for (const file of packages) {
    const unpacked = join(folder, basename(file, '.tgz'));
    await mkdir(unpacked);
    await run('tar', ['-xzf', file, '--directory', unpacked, '--strip-components=1']);
    const { name } = JSON.parse(await readFile(join(unpacked, 'package.json'), 'utf8'));
    await cp(unpacked, join(modules, name), { recursive: true });
  }
}

/** The arcade's own suite, on the packages alone. Its sources are TypeScript, which Node.js 20 does not run. */
async function arcadeSuite(folder: string, node: string): Promise<void> {
  const arcade = join(folder, 'arcade');
  await cp(join(ROOT, 'examples/arcade'), arcade, { recursive: true });
  for (const file of await readdir(arcade, { recursive: true })) {
    if (!file.endsWith('.ts') || file.endsWith('.d.ts')) continue;
    const text = await readFile(join(arcade, file), 'utf8');
    const named = text.replace(/'[./]+sdk\/(emulator\/)?src\/index\.ts'/g, (_, emulator) =>
      emulator ? "'quarters-emulator'" : "'quarters-sdk'",
    );
    assert.doesNotMatch(named, /from '(\.\.\/)+(sdk|src)\//, file);
    await writeFile(join(arcade, file), named);
  }
  const quarters = join(folder, 'node_modules/quarters/bin/quarters.mjs');
  const suite = [process.execPath, '--test', join(arcade, 'test/survives.test.ts')];
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, TMPDIR: process.env.TMPDIR, LOG_LEVEL: 'error' };
  const { stdout } = await run(node, [quarters, 'test', '--', ...suite], { cwd: folder, env });
  assert.match(stdout, /^ℹ pass 12$/m);
}

/** Starts the service as `npx quarters start` does. Returns its origin. */
async function start(t: TestContext, node: string, folder: string): Promise<string> {
  let screen = '';
  const service = await startChild({
    command: node,
    args: [join(folder, 'node_modules/quarters/bin/quarters.mjs'), 'start'],
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, PORT: '0', ARCADE_PORT: '0' },
    graceMs: 60_000,
    onOutput: (text) => (screen += text),
  });
  let ended = false;
  void service.exited.then(() => (ended = true));
  atEnd(t, async () => void (await service.stop()));
  await until(
    'the service is started',
    () => {
      assert.equal(ended, false, screen);
      return screen.includes('Ctrl-C stops');
    },
    () => screen,
  );
  assert.match(screen, /Play +http:\/\/127\.0\.0\.1/);
  return /running at (\S+)/.exec(screen)![1]!;
}

/** README's payment, up to the page that somebody opens. */
async function firstSteps(folder: string, path: string, origin: string): Promise<void> {
  const readme = await readFile(join(folder, 'node_modules/quarters/README.md'), 'utf8');
  const [, payment = ''] = readme.split('## A payment from start to end, with curl');
  const blocks = [...payment.matchAll(/^```sh\n([\s\S]*?)^```/gm)].slice(0, 4).map(([, block]) => block!);
  const commands = blocks.join('');
  const { stdout } = await run('bash', ['-euc', commands], {
    cwd: folder,
    env: { PATH: `${path}:${process.env.PATH}` },
  });
  const lines = stdout.trim().split('\n');
  assert.ok(lines.at(-1)!.startsWith(origin), lines.join('\n'));
  assert.match(lines[0]!, /"user_id"/);
  assert.match(lines[1]!, /"txId":"0x/);
  const page = await fetch(lines.at(-1)!);
  assert.equal(page.status, 200);
  assert.match(await page.text(), /A sword of light/);
}
