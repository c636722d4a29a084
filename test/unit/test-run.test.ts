import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { SEED_VARIABLE } from '../kit/run/seed.ts';
import { notInTurn, oneInTurn } from '../kit/run/turns.ts';
import { until } from '../kit/unit/until.ts';

const REPOSITORY = join(import.meta.dirname, '../..');
const IMPORT_TESTS = `import { importTests } from '${REPOSITORY}/test/kit/run/import-tests.ts';
await importTests(import.meta.dirname);`;
const PASSES = `test('passes', () => {});`;
const TAKES_LONG = `test('takes long', () => { const began = process.cpuUsage(); while (process.cpuUsage(began).user < 300_000); });`;
const FAILS = `test('fails', () => { throw new Error('no luck\\nat all'); });`;
const FAILS_ONCE = `test('fails once', () => { if (run === 1) throw new Error('no luck\\nat all'); });`;
const HANGS_ONCE = `test('hangs once', async () => { if (run === 1) await new Promise((end) => setTimeout(end, 2_000)); });`;
const EXITS_ONCE = `test('exits once', () => { if (run === 1) process.exit(3); });`;

const NO_PROC = !existsSync('/proc/self/stat') && 'this system does not say what a process took';

/** Kills the run from within; its own process would survive. */
const KILLS_THE_RUN = `test('kills the run', async () => {
  appendFileSync(import.meta.filename + '.pid', String(process.pid));
  process.kill(process.ppid, 'SIGKILL');
  await new Promise(() => setInterval(() => {}, 1_000));
});`;

/** A test file that knows the number of its `run`, from 1, and records how many runs there were and their seeds. */
const counted = (body: string) => `import { appendFileSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
appendFileSync(import.meta.filename + '.runs', process.env.${SEED_VARIABLE} + '\\n');
const run = readFileSync(import.meta.filename + '.runs', 'utf8').trim().split('\\n').length;
${body}`;

type Run = {
  readonly status: number | null;
  /** The output of the run, without empty lines. */
  readonly lines: readonly string[];
  readonly flaky: unknown;
  /** The id of the test process that {@link KILLS_THE_RUN} left. */
  survivor(path: string): number;
  /** The seeds of each run of a file. */
  seedsOf(path: string): string[];
};

/** Runs these files as `npm test -- <named>` does, in their own folder and without PostgreSQL. */
async function runOf(
  t: TestContext,
  files: Readonly<Record<string, string>>,
  { named = Object.keys(files), testMs = 1_000, processMs = 60_000 } = {},
): Promise<Run> {
  const root = mkdtempSync(join(tmpdir(), 'quarters-test-'));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  write('package.json', '{ "type": "module" }');
  write('test-results/flaky.json', '[{ "file": "of an older run" }]');
  for (const [path, body] of Object.entries(files)) write(path, path.endsWith('/all.ts') ? body : counted(body));
  write(
    'run.ts',
    `import { runTests } from '${REPOSITORY}/scripts/test-run.ts';
    const limits = () => ({ testMs: ${testMs}, processMs: ${processMs} });
    const plan = { root: import.meta.dirname, tier: 'usual', named: ${JSON.stringify(named)}, limits };
    process.exitCode = (await runTests(plan)) ? 0 : 1;`,
  );
  const { NODE_TEST_CONTEXT: _, [SEED_VARIABLE]: __, ...env } = process.env;
  const child = spawn(process.execPath, [join(root, 'run.ts')], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text));
  const [status] = (await once(child, 'close')) as [number | null];
  return {
    status,
    lines: output.split('\n').filter((line) => line.trim() !== ''),
    flaky: JSON.parse(readFileSync(join(root, 'test-results/flaky.json'), 'utf8')),
    survivor: (path) => Number(readFileSync(join(root, `${path}.pid`), 'utf8')),
    seedsOf: (path) =>
      readFileSync(join(root, `${path}.runs`), 'utf8')
        .trim()
        .split('\n'),
  };
}

describe('a run of the tests', { concurrency: 2 }, () => {
  test('with nothing but passing tests is green, and empties the list of an older run', async (t) => {
    const run = await runOf(t, { 'test/pages/a.test.ts': PASSES, 'test/crash/b.test.ts': PASSES });
    assert.equal(run.status, 0, run.lines.join('\n'));
    assert.equal(run.lines.at(-1), 'tests: 2 passed, 0 failed');
    assert.match(run.lines.at(-2)!, /^wall: \d+ s(, processors: \d+ s)?$/);
    assert.deepEqual(run.flaky, []);
  });

  test('says which files took most of the processor time', { skip: NO_PROC }, async (t) => {
    const run = await runOf(
      t,
      {
        'test/pages/all.ts': IMPORT_TESTS,
        'test/pages/a.test.ts': PASSES,
        'test/pages/b.test.ts': `describe('outer', () => { ${TAKES_LONG} });`,
        'test/pages/c.test.ts': PASSES,
      },
      { named: [] },
    );
    assert.equal(run.status, 0, run.lines.join('\n'));
    const [, first, ...others] = run.lines.slice(
      run.lines.findIndex((line) => line.startsWith('the dearest of 3 files')),
    );
    assert.match(first!, /^ +\d+\.\d {2}test\/pages\/b\.test\.ts$/);
    assert.match(others[2]!, /^of all files: \d+ s; to load them: \d+ s; /);
  });

  test('lists a test that fails once as flaky, after a second run of its file alone with the same seed', async (t) => {
    const run = await runOf(
      t,
      {
        'test/pages/all.ts': IMPORT_TESTS,
        'test/pages/a.test.ts': `describe('outer', () => { ${FAILS_ONCE} ${PASSES} });`,
        'test/pages/b.test.ts': PASSES,
        'test/pages/c.deep.test.ts': FAILS,
      },
      { named: ['test/pages/all.ts'] },
    );
    assert.equal(run.status, 0, run.lines.join('\n'));
    assert.deepEqual(run.lines.slice(-2), [
      'tests: 3 passed, 0 failed',
      'flaky: test/pages/a.test.ts › outer › fails once (first failure: no luck)',
    ]);
    assert.deepEqual(run.flaky, [{ file: 'test/pages/a.test.ts', test: 'outer › fails once', message: 'no luck' }]);
    const [seed, ...others] = run.seedsOf('test/pages/a.test.ts');
    assert.deepEqual(others, [seed]);
    assert.equal(run.lines[0], `${SEED_VARIABLE}=${seed}`);
    assert.ok(run.lines.includes(`for the same cases: ${SEED_VARIABLE}=${seed}`));
    assert.deepEqual(run.seedsOf('test/pages/b.test.ts'), [seed]);
  });

  test('with a test that fails twice is red', { skip: notInTurn(3, 'runner 1') }, async (t) => {
    const run = await runOf(t, { 'test/pages/a.test.ts': FAILS, 'test/pages/b.test.ts': FAILS_ONCE });
    assert.equal(run.status, 1);
    assert.ok(run.lines.includes('failed: test/pages/a.test.ts › fails (no luck)'));
    assert.deepEqual(run.lines.slice(-2), [
      'tests: 1 passed, 1 failed',
      'flaky: test/pages/b.test.ts › fails once (first failure: no luck)',
    ]);
  });

  test('with more than five failing files is red without second runs', {
    skip: notInTurn(3, 'runner 2'),
  }, async (t) => {
    const paths = [1, 2, 3, 4, 5, 6].map((n) => `test/pages/${n}.test.ts`);
    const run = await runOf(t, Object.fromEntries(paths.map((path) => [path, FAILS_ONCE])));
    assert.equal(run.status, 1);
    assert.deepEqual(run.lines.at(-1), 'tests: 0 passed, 6 failed');
    for (const path of paths) assert.equal(run.seedsOf(path).length, 1);
  });

  const protectedFolders = [
    ['crash', 'faults', 'race', 'settlement'],
    ['properties', 'fuzz', 'chain', 'db'],
  ];
  for (const folders of oneInTurn(protectedFolders, 'protected folders')) {
    test(`with a failure in one of ${folders.join(', ')} is red, and does not run it again`, async (t) => {
      const paths = folders.map((folder) => `test/${folder}/a.test.ts`);
      const run = await runOf(t, Object.fromEntries(paths.map((path) => [path, FAILS_ONCE])));
      assert.equal(run.status, 1);
      assert.deepEqual(run.lines.at(-1), 'tests: 0 passed, 4 failed');
      assert.deepEqual(run.flaky, []);
      for (const path of paths) {
        assert.equal(run.seedsOf(path).length, 1);
        assert.ok(run.lines.includes(`failed: ${path} › fails once (no luck)`));
      }
    });
  }

  test('with a crash or a timeout in a protected folder is red, and does not run it again', {
    skip: notInTurn(3, 'runner 3'),
  }, async (t) => {
    const files = { 'test/crash/exits.test.ts': EXITS_ONCE, 'test/race/hangs.test.ts': HANGS_ONCE };
    const run = await runOf(t, files);
    assert.equal(run.status, 1);
    for (const path of Object.keys(files)) assert.equal(run.seedsOf(path).length, 1);
    assert.equal(run.lines.filter((line) => line.startsWith('failed: ')).length, 2);
  });

  test('gives a test that timed out, and a process that ended, a second run in other folders', {
    skip: notInTurn(3, 'runner 4'),
  }, async (t) => {
    const run = await runOf(t, { 'test/pages/hangs.test.ts': HANGS_ONCE, 'test/oauth/exits.test.ts': EXITS_ONCE });
    assert.equal(run.status, 0, run.lines.join('\n'));
    const flaky = run.lines.slice(-2).sort();
    assert.match(flaky[0]!, /^flaky: test\/oauth\/exits\.test\.ts › the process ended \(/);
    assert.match(
      flaky[1]!,
      /^flaky: test\/pages\/hangs\.test\.ts › hangs once \(first failure: test timed out after 1000ms\)$/,
    );
  });

  test('runs every file of a folder alone where the folder’s process ended', {
    skip: notInTurn(3, 'runner 5'),
  }, async (t) => {
    const files = {
      'test/pages/all.ts': IMPORT_TESTS,
      'test/pages/a.test.ts': PASSES,
      'test/pages/b.test.ts': EXITS_ONCE,
      'test/pages/c.test.ts': PASSES,
    };
    const run = await runOf(t, files, { named: ['test/pages/all.ts'] });
    assert.equal(run.status, 0, run.lines.join('\n'));
    assert.equal(run.lines.at(-2), 'tests: 3 passed, 0 failed');
    assert.match(run.lines.at(-1)!, /^flaky: test\/pages\/all\.ts › the process ended \(first failure: /);
    for (const file of ['a', 'b']) assert.equal(run.seedsOf(`test/pages/${file}.test.ts`).length, 2);
  });

  test('does not take the tests of the first files for all while the next one is being loaded', async (t) => {
    const cleansUp = `import { after } from 'node:test';
    after(() => { globalThis.isCleanedUp = true; });
    test('passes', () => {});`;
    const loadsLong = `await new Promise((end) => setTimeout(end, 100));
    test('is not cleaned up', () => { if (globalThis.isCleanedUp) throw new Error('too early'); });`;
    const run = await runOf(
      t,
      { 'test/db/all.ts': IMPORT_TESTS, 'test/db/a.test.ts': cleansUp, 'test/db/b.test.ts': loadsLong },
      { named: ['test/db/all.ts'] },
    );
    assert.equal(run.status, 0, run.lines.join('\n'));
  });

  test('with an error that nobody awaits is red, and says the error', { skip: notInTurn(3, 'runner 6') }, async (t) => {
    const forgets = `test('forgets', async () => {
      await new Promise((end) => setTimeout(end, 10));
      void Promise.reject(new Error('nobody awaits it'));
    });`;
    const run = await runOf(
      t,
      { 'test/db/all.ts': IMPORT_TESTS, 'test/db/a.test.ts': forgets, 'test/db/b.test.ts': PASSES },
      { named: ['test/db/all.ts'] },
    );
    assert.equal(run.status, 1, run.lines.join('\n'));
    assert.match(run.lines.join('\n'), /nobody awaits it/);
  });

  test('counts a process that exits with 0 before its last test as failed', async (t) => {
    const run = await runOf(t, { 'test/db/a.test.ts': `test('exits', () => process.exit(0));` });
    assert.equal(run.status, 1);
    assert.equal(run.lines.at(-1), 'tests: 0 passed, 1 failed');
  });

  test('ends its processes too, even after kill -9', async (t) => {
    const run = await runOf(t, { 'test/pages/a.test.ts': KILLS_THE_RUN }, { testMs: 600_000 });
    assert.equal(run.status, null);
    const pid = run.survivor('test/pages/a.test.ts');
    await until('the test process is gone', () => {
      try {
        return !process.kill(pid, 0);
      } catch {
        return true;
      }
    });
  });

  test('ends a process that has no time left', async (t) => {
    const stuck = `test('stuck', () => { if (run === 1) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0); });`;
    const run = await runOf(t, { 'test/pages/a.test.ts': stuck }, { processMs: 15_000 });
    assert.equal(run.status, 0, run.lines.join('\n'));
    assert.match(run.lines.at(-1)!, /^flaky: test\/pages\/a\.test\.ts › the process ended /);
  });
});
