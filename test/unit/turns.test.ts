import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { SEED_VARIABLE } from '../kit/run/seed.ts';
import { inTurns, notInTurn, oneInTurn, TURNS_VARIABLE } from '../kit/run/turns.ts';

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
