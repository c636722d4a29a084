import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { type TestContext, test } from 'node:test';
import { onEndSignals } from '../../src/process/shutdown.ts';
import { atEnd } from '../kit/unit/at-end.ts';
import { alive, descendants } from '../kit/unit/processes.ts';
import { scratchFolder } from '../kit/unit/scratch.ts';
import { until } from '../kit/unit/until.ts';

const repository = resolve(import.meta.dirname, '../..');
const { scripts } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>;
};

/** The Node.js that a system brings. Ours comes with the packages. */
const SYSTEM_NODE = '/usr/bin/node';
const systemNode = existsSync(SYSTEM_NODE) ? spawnSync(SYSTEM_NODE, ['--version'], { encoding: 'utf8' }).stdout : '';
const skip = /^v2[0-5]\./.test(systemNode) ? false : 'the system has no Node.js of 20 to 25';

/** A clone whose program says how it is doing, and then runs until it is ended. */
const PROGRAM = `
console.log('runs', process.version, process.argv.slice(2).join(' '));
setInterval(() => {}, 1_000);
`;

async function clone(t: TestContext, { installed = true } = {}): Promise<string> {
  const folder = await scratchFolder(t);
  cpSync(join(repository, 'bin'), join(folder, 'bin'), { recursive: true });
  mkdirSync(join(folder, 'local'));
  writeFileSync(join(folder, 'local/main.ts'), PROGRAM);
  const start = scripts.start!;
  const steps = `node local/main.ts steps && true`;
  const check = scripts.check!.replace('scripts/run-steps.ts', join(repository, 'scripts/run-steps.ts'));
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({ name: 'quarters', bin: 'bin/quarters.mjs', scripts: { start, check, 'check:steps': steps } }),
  );
  if (installed) {
    mkdirSync(join(folder, 'node_modules/.bin'), { recursive: true });
    symlinkSync(process.execPath, join(folder, 'node_modules/.bin/node'));
  }
  return folder;
}

/** Runs it there, and resolves when the program runs. */
async function running(t: TestContext, folder: string, command: string, args: readonly string[]) {
  const { PATH = '', HOME } = process.env;
  // As in a terminal: without what the npm that runs this test has set, and its PATH.
  const path = PATH.split(delimiter).filter((entry) => !entry.includes('node_modules'));
  const child = spawn(command, args, {
    cwd: folder,
    env: { HOME, PATH: path.join(delimiter), npm_config_cache: join(folder, 'cache') },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (said += text));
  atEnd(t, () => {
    for (const pid of alive([child.pid!, ...descendants(child.pid!)])) process.kill(pid, 'SIGKILL');
  });
  await until(
    'the program runs',
    () => said.includes('runs v') || child.exitCode !== null,
    () => said,
  );
  return { child, said, started: descendants(child.pid!) };
}

const WAYS: readonly [name: string, command: string, ...args: string[]][] = [
  ['npm start', 'npm', 'start'],
  ['npm run check', 'npm', 'run', 'check'],
  ['npx quarters', 'npx', 'quarters', 'listen'],
  ['bin/quarters.mjs', SYSTEM_NODE, 'bin/quarters.mjs', 'listen'],
];

for (const [name, command, ...args] of WAYS) {
  test(`${name} ends all that it started when it is ended, also by kill -9`, {
    skip: command === SYSTEM_NODE && skip,
  }, async (t) => {
    const folder = await clone(t);
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGKILL'] as const) {
      const { child, started, said } = await running(t, folder, command, args);
      assert.ok(started.length > 0, said);
      // A terminal sends Ctrl-C to all. Whoever calls has the first process only.
      process.kill(signal === 'SIGINT' ? -child.pid! : child.pid!, signal);
      await until(`all have ended after ${signal}`, () => alive([child.pid!, ...started]).length === 0);
    }
  });
}

test('every script of package.json becomes what it runs, which ends with npm', () => {
  for (const [name, script] of Object.entries(scripts)) {
    if (name.endsWith(':steps')) continue;
    const [last, ...before] = script.split(' && ').reverse();
    assert.match(last!, /^exec /, name);
    assert.deepEqual(
      before.filter((step) => step !== 'node scripts/ensure-installed.mjs'),
      [],
      name,
    );
    const notes = /^exec node --import \.\/bin\/end-with-caller\.mjs |scripts\/ensure-|^exec (npm run|biome) /;
    assert.match(last!, notes, name);
  }
});

test('the program of a clone runs on the Node.js of the packages, whatever Node.js starts it', { skip }, async (t) => {
  const { said } = await running(t, await clone(t), SYSTEM_NODE, ['bin/quarters.mjs', 'apps', 'list']);
  assert.equal(said, `runs ${process.version} apps list\n`);
});

test('the program of a clone that is not installed says what to run', async (t) => {
  const folder = await clone(t, { installed: false });
  for (const node of skip ? [process.execPath] : [SYSTEM_NODE, process.execPath]) {
    const { status, stdout, stderr } = spawnSync(node, ['bin/quarters.mjs', '--version'], {
      cwd: folder,
      encoding: 'utf8',
    });
    assert.deepEqual([status, stdout], [1, ''], stderr);
    assert.match(
      stderr,
      /^The dependencies are not installed yet\. Run `npm start` or `npm ci` in this folder first\.\n$/,
    );
  }
});

test('a signal that npm passes on once more is one request, and a later one says to hurry', (t) => {
  let now = 5_000;
  t.mock.method(performance, 'now', () => now);
  const on = t.mock.method(process, 'on', () => process);
  const heard: string[] = [];
  onEndSignals(
    (signal) => heard.push(signal),
    () => heard.push('again'),
  );
  const send = (signal: NodeJS.Signals) => {
    for (const { arguments: given } of on.mock.calls as unknown as { arguments: [string, (name: string) => void] }[])
      if (given[0] === signal) given[1](signal);
  };
  send('SIGINT');
  send('SIGINT');
  now += 900;
  send('SIGTERM');
  assert.deepEqual(heard, ['SIGINT']);
  now += 200;
  send('SIGINT');
  assert.deepEqual(heard, ['SIGINT', 'again']);
});
