import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { SEED_VARIABLE } from '../kit/run/seed.ts';
import { inTurns, notInTurn, notInTurnOfFiles, oneInTurn, TURNS_VARIABLE } from '../kit/run/turns.ts';

const CASES = ['a', 'b', 'c', 'd', 'e'];

/** Sets variables until the test ends. */
function withVariables(t: TestContext, variables: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(variables)) {
    const before = process.env[name];
    process.env[name] = value;
    t.after(() => {
      if (before === undefined) delete process.env[name];
      else process.env[name] = before;
    });
  }
}

/** The names of those subtests that run, of one for each case. */
function ranBy(seed: number, n: number): string[] {
  process.env[SEED_VARIABLE] = `${seed}`;
  const ran: string[] = [];
  const context = {
    fullName: 'whole',
    test: (name: string, { skip }: { skip?: string }) => skip === undefined && ran.push(name),
  } as unknown as TestContext;
  const t = inTurns(context, n);
  for (const name of CASES) void t.test(name, () => {});
  return ran;
}

test('in a whole run each n-th subtest runs, and over the runs all do', (t) => {
  withVariables(t, { [TURNS_VARIABLE]: '1', [SEED_VARIABLE]: '0' });
  const seen = new Set<string>();
  for (let seed = 0; seed < 40; seed++) {
    const ran = ranBy(seed, 3);
    assert.ok(['a,d', 'b,e', 'c'].includes(ran.join()), ran.join());
    assert.deepEqual(ranBy(seed, 3), ran, 'the seed decides');
    for (const name of ran) seen.add(name);
  }
  assert.deepEqual([...seen].sort(), CASES);
});

test('in a whole run one case is taken, and a test with turns is in some runs', (t) => {
  withVariables(t, { [TURNS_VARIABLE]: '1', [SEED_VARIABLE]: '0' });
  const [cases, skips] = [new Set<string>(), new Set<string | false>()];
  for (let seed = 0; seed < 60; seed++) {
    process.env[SEED_VARIABLE] = `${seed}`;
    const [one, ...others] = oneInTurn(CASES, 'letters');
    assert.deepEqual(others, []);
    cases.add(one!);
    skips.add(notInTurn(3, 'letters'));
  }
  assert.deepEqual([...cases].sort(), CASES);
  assert.deepEqual(skips, new Set(['the turn of another run', false]));
});

test('files that are named, and `npm run test:all`, run everything', (t) => {
  withVariables(t, { [TURNS_VARIABLE]: '0', [SEED_VARIABLE]: '0' });
  for (let seed = 0; seed < 5; seed++) {
    assert.deepEqual(ranBy(seed, 3), CASES);
    assert.deepEqual(oneInTurn(CASES, 'letters'), CASES);
    assert.equal(notInTurn(3, 'letters'), false);
  }
});

test('of the dear files each run has a share, and over the runs all run', (t) => {
  withVariables(t, { [TURNS_VARIABLE]: '1', [SEED_VARIABLE]: '0' });
  const root = join(import.meta.dirname, '../..');
  const listed = JSON.parse(readFileSync(join(root, 'test/turns.json'), 'utf8')) as Record<string, string[]>;
  const files = Object.values(listed).flat();
  assert.equal(new Set(files).size, files.length);
  for (const file of files) assert.ok(existsSync(join(root, file)), file);
  const seen = new Set<string>();
  for (let seed = 0; seed < 40; seed++) {
    process.env[SEED_VARIABLE] = `${seed}`;
    const ran = files.filter((file) => !notInTurnOfFiles(file));
    assert.ok(ran.length >= files.length / 4 - 1 && ran.length <= files.length / 3 + 1, `${ran.length}`);
    for (const file of ran) seen.add(file);
  }
  assert.equal(seen.size, files.length);
  assert.equal(notInTurnOfFiles('test/unit/turns.test.ts'), false);
  process.env[TURNS_VARIABLE] = '0';
  for (const file of files) assert.equal(notInTurnOfFiles(file), false);
});
