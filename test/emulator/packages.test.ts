import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cp, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { emulatorOf } from '../../sdk/emulator/src/emulator.ts';
import { atEnd, everyTest } from '../kit/unit/at-end.ts';
import { descendants } from '../kit/unit/processes.ts';
import { scratchFolder } from '../kit/unit/scratch.ts';
import { assertAllGone, foldersIn } from './gone.ts';
import { CACHE } from './kit.ts';

const run = promisify(execFile);
const ROOT = resolve(import.meta.dirname, '../..');
const TSC = join(ROOT, 'node_modules/typescript/bin/tsc');
const GUIDE = readFileSync(join(ROOT, 'docs/integrate/test.md'), 'utf8');

/** Of a game that has installed both packages. It starts an emulator, and waits to be killed. */
const GAME = `
import { type Emulator, EmulatorError, type Player, startEmulator } from 'quarters-emulator';

async function main(): Promise<void> {
  const emulator: Emulator = await startEmulator();
  const app = await emulator.apps.create({ quarters: 500 });
  const key: string = app.serverKey;
  // @ts-expect-error: there is no such field
  console.log(app.nothing ?? key.slice(0, 3));
  const refused = await emulator.reset('nowhere').catch((error: unknown) => error);
  console.log(refused instanceof EmulatorError && refused.code);
  setInterval(() => {}, 1_000);
}

/** Is only compiled. */
export async function surface({ apps, chain, next, players, time, webhooks }: Emulator): Promise<string | null> {
  const app = await apps.create({ webhook: 'http://localhost:3000/hook' });
  const player: Player = await players.create({ app, quarters: 500, guest: true });
  await next('transfer').forApp(app).times(2).ofAmount(13).fails('insufficient-quarters');
  // @ts-expect-error: that is no code of the API
  await next('transfer').fails('bad-luck');
  await next('createRequest').answers({ after: '30 s' });
  await player.approve('r', { askEveryTime: true });
  await time.advance('31 days');
  await chain.blocks(250);
  await chain.reorganize(2, { without: ['0x1'] });
  await webhooks.release({ order: 'shuffled', seed: 7 });
  return player.pageToken;
}

void main();
`;

describe('what a game installs', () => {
  let folder: string;
  before(async () => {
    folder = await scratchFolder(everyTest);
    const modules = join(folder, 'node_modules');
    for (const [name, project] of [
      ['quarters-emulator', 'emulator'],
      ['quarters-sdk', '.'],
    ] as const) {
      await mkdir(join(modules, name), { recursive: true });
      await cp(join(ROOT, 'sdk', project, 'package.json'), join(modules, name, 'package.json'));
      await run(process.execPath, [join(ROOT, 'sdk/build.mjs'), join(modules, name, 'dist'), project]);
    }
    await symlink(ROOT, join(modules, 'quarters'), 'dir');
    await mkdir(join(modules, '.bin'));
    await symlink('../quarters/bin/quarters.mjs', join(modules, '.bin/quarters'));
  });

  /** Compiles the game as this kind of module. Returns its folder. */
  async function compile(type: string, module: string): Promise<string> {
    const game = join(folder, type);
    await mkdir(game);
    await writeFile(join(game, 'package.json'), JSON.stringify({ type }));
    await writeFile(join(game, 'game.ts'), GAME);
    await run(process.execPath, [TSC, '--module', module, '--target', 'es2022', '--strict', 'game.ts'], { cwd: game });
    return game;
  }

  test('has types for a game of ES modules', async () => {
    await compile('module', 'nodenext');
  });

  test('has types in CommonJS, and nothing of its emulator is left when the game is killed', async (t) => {
    const temporary = join(folder, 'tmp');
    await mkdir(temporary);
    const child = spawn(process.execPath, ['game.js'], {
      cwd: await compile('commonjs', 'node16'),
      env: { ...process.env, ...CACHE, TMPDIR: temporary },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    atEnd(t, () => child.kill('SIGKILL'));
    const lines: string[] = [];
    for await (const line of createInterface({ input: child.stdout })) if (lines.push(line) === 2) break;
    assert.deepEqual(lines, ['qk_', 'refused']);
    const processes = descendants(child.pid!);
    assert.ok(processes.length > 4 && foldersIn(temporary).length === 1);
    child.kill('SIGKILL');
    await assertAllGone(processes, temporary);
  });

  test('does what the guide says that it does in ten minutes', async () => {
    const [, section = ''] = GUIDE.split('\n## In ten minutes\n');
    const [, code, name, commands] =
      /```js\n(\/\/ test\/(\S+)\n.*?)```\n\n```sh\n(.*?)```\n/s.exec(section) ?? assert.fail('no test');
    const named = [...section.split('\n## ')[0]!.matchAll(/`(QUARTERS_\w+)`/g)].map(([, variable]) => variable);
    assert.equal(named.length, 8);
    const game = join(folder, 'reader');
    await mkdir(game);
    await writeFile(join(game, name!), code!);
    await writeFile(
      join(game, 'environment.test.mjs'),
      `
import assert from 'node:assert/strict';
assert.deepEqual(${JSON.stringify(named)}.filter((name) => !process.env[name]), []);
`,
    );
    const { PATH, HOME, TMPDIR } = process.env;
    const ended = run('bash', ['-euc', commands!], { cwd: game, env: { PATH, HOME, TMPDIR, ...CACHE } });
    const { stdout } = await ended.catch(({ stdout, stderr }) => assert.fail(`${stdout}${stderr}`));
    assert.match(stdout, /pass 2\n/);
  });
});

test('the client has all that the guide says that a test can set', () => {
  const emulator = emulatorOf({ call: async () => assert.fail(), url: '', stop: async () => {} });
  const roots = { emulator, player: emulator.players.of('p') };
  const [, section = ''] = GUIDE.split('\n## What a test can set\n');
  let found = 0;
  for (const [, cell = ''] of section.split('\n## ')[0]!.matchAll(/^\| (`.*?) \|/gm)) {
    // A row begins with a whole name, or is of the table of outcomes; what follows in it begins with a dot.
    let here: object = emulator.next();
    for (const [, code = ''] of cell.matchAll(/`(.*?)`/g)) {
      const names = code.replaceAll(/\(.*?\)/g, '()').split('.');
      let value: unknown = names[0] === '' ? here : roots;
      for (const name of names.filter((one) => one !== '')) {
        here = (typeof value === 'function' ? value() : value) as object;
        value = Reflect.get(here, name.replace('()', ''));
        assert.equal(typeof value, name.endsWith('()') ? 'function' : 'object', code);
      }
      found++;
    }
  }
  assert.ok(found > 30, `${found}`);
});
