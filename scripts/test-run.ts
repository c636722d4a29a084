/** Runs the tests: all processes, second runs of failures outside the protected folders, and the final report. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { finished } from 'node:stream/promises';
import { spec } from 'node:test/reporters';
import { runSeed, SEED_VARIABLE } from '../test/kit/run/seed.ts';
import { TIER_VARIABLE, type Tier } from '../test/kit/run/tier.ts';
import { TURNS_VARIABLE } from '../test/kit/run/turns.ts';
import { COSTS_VARIABLE, readCosts } from './test-costs.ts';
import { cpuSeconds } from './test-cpu.ts';
import { durationsFile, filesOf, isProtected, limitsOf, readDurations, USUAL_BUDGET_S, wholeRun } from './test-plan.ts';
import { type Counts, type Failure, type Outcome, runProcess } from './test-process.ts';

/** More than two cores need, because many tests wait: for a block, a browser, a clock. */
const AT_ONCE = 6;
/** How many of the dearest files the report names. */
const DEAREST = 10;
/**
 * For the tests' processes, and the services that they start. A process of tests lives for seconds and makes much garbage:
 * with V8's usual new space, collecting it takes an eighth of its time.
 */
const NODE_OPTIONS = `--max-semi-space-size=32 --import=${import.meta.resolve('./quick-imports.mjs')}`;
/** If more files fail, something is broken, and a second run would only hide it. */
const MOST_SECOND_RUNS = 5;

export type TestRun = {
  readonly root: string;
  readonly tier: Tier;
  /** Paths from `root`. If there are none, the whole tier runs. */
  readonly named?: readonly string[];
  /** Starts what all tests share, and returns a function that stops it. */
  readonly setUp?: () => Promise<() => Promise<void>>;
  readonly limits?: typeof limitsOf;
};

/** What runs again together: one file, or all files of a process that did not finish. */
type Unit = { readonly name: string; readonly files: readonly string[]; readonly failures: readonly Failure[] };

/** Runs the tests. Resolves to whether every test passed, in its second run at the latest. */
export async function runTests(plan: TestRun): Promise<boolean> {
  const { root, tier, named = [] } = plan;
  const began = performance.now();
  process.env[TIER_VARIABLE] = tier;
  const isWhole = named.length === 0;
  process.env[TURNS_VARIABLE] ??= isWhole && tier === 'usual' ? '1' : '0';
  process.env.NODE_OPTIONS = [process.env.NODE_OPTIONS, NODE_OPTIONS].filter(Boolean).join(' ');
  console.log(`${SEED_VARIABLE}=${runSeed()}`);
  const flakyFile = join(root, 'test-results/flaky.json');
  writeJson(flakyFile, []);

  const counts = new Map<string, Counts>();
  const flaky: Failure[] = [];
  const failed: Failure[] = [];
  let costs: ReadonlyMap<string, number>;
  const tearDown = await plan.setUp?.();
  const costsFolder = mkdtempSync(join(tmpdir(), 'quarters-test-costs-'));
  process.env[COSTS_VARIABLE] = costsFolder;
  try {
    const outcomes = await runAll(plan, isWhole ? wholeRun(root, tier) : named, AT_ONCE);
    if (isWhole) keepDurations(root, tier, outcomes);
    for (const outcome of outcomes) merge(counts, outcome);
    const units = outcomes.flatMap((outcome) => unitsOf(root, outcome));
    for (const unit of units) {
      if (units.length > MOST_SECOND_RUNS || isProtected(unit.name)) {
        failed.push(...unit.failures);
        continue;
      }
      console.log(`\nonce more, alone: ${unit.name}\n`);
      const again = await runAll(plan, unit.files, 1);
      for (const file of [unit.name, ...unit.files]) counts.delete(file);
      for (const outcome of again) merge(counts, outcome);
      const failures = again.flatMap((outcome) => outcome.failures);
      if (failures.length > 0) failed.push(...failures);
      else flaky.push(...unit.failures);
    }
  } finally {
    costs = readCosts(root, costsFolder);
    rmSync(costsFolder, { recursive: true, force: true });
    await tearDown?.();
  }
  writeJson(flakyFile, flaky);

  for (const { file, test, message } of failed) console.log(`failed: ${file} › ${test} (${message})`);
  if (failed.length + flaky.length > 0) console.log(`for the same cases: ${SEED_VARIABLE}=${runSeed()}`);
  if (isWhole) {
    writeJson(join(root, 'test-results/costs.json'), Object.fromEntries([...costs].sort(([, a], [, b]) => b - a)));
    reportCosts(costs);
  }
  const cpu = cpuSeconds();
  if (isWhole && tier === 'usual' && cpu !== null) console.log(againstBudget(cpu));
  const wall = Math.round((performance.now() - began) / 1000);
  console.log(`wall: ${wall} s${cpu === null ? '' : `, processors: ${Math.round(cpu)} s`}`);
  console.log(totals(counts));
  for (const { file, test, message } of flaky) console.log(`flaky: ${file} › ${test} (first failure: ${message})`);
  return failed.length === 0;
}

/** Runs processes, `atOnce` at a time, and reports each when it has ended. */
async function runAll(plan: TestRun, entries: readonly string[], atOnce: number): Promise<Outcome[]> {
  const { root, tier, limits = limitsOf } = plan;
  const reporter = new spec();
  reporter.pipe(process.stdout, { end: false });
  const outcomes: Outcome[] = [];
  const waiting = entries.values();
  const lane = async () => {
    for (const entry of waiting) {
      const report = (event: unknown) => void reporter.write(event);
      outcomes.push(await runProcess(root, entry, limits(entry, tier), report));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  reporter.end();
  await finished(reporter);
  return outcomes;
}

function unitsOf(root: string, { entry, died, failures }: Outcome): Unit[] {
  if (died) return [{ name: entry, files: filesOf(root, entry), failures }];
  const byFile = Map.groupBy(failures, ({ file }) => file);
  return [...byFile].map(([file, own]) => ({ name: file, files: [file], failures: own }));
}

function merge(counts: Map<string, Counts>, outcome: Outcome): void {
  for (const [file, count] of outcome.counts) counts.set(file, count);
}

function totals(counts: ReadonlyMap<string, Counts>): string {
  const sum = { passed: 0, failed: 0, skipped: 0 };
  for (const each of counts.values()) for (const kind of Object.keys(sum) as (keyof Counts)[]) sum[kind] += each[kind];
  const { passed, failed, skipped } = sum;
  return `tests: ${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}

/** Says where a whole run's processor time went, for whoever has to shorten it. */
function reportCosts(costs: ReadonlyMap<string, number>): void {
  const files = [...costs].filter(([file]) => file !== '').sort(([, a], [, b]) => b - a);
  if (files.length === 0) return;
  console.log(`the dearest of ${files.length} files, in seconds of processor time:`);
  for (const [file, seconds] of files.slice(0, DEAREST)) console.log(`${seconds.toFixed(1).padStart(7)}  ${file}`);
  const sum = files.reduce((all, [, seconds]) => all + seconds, 0);
  const loading = costs.get('') ?? 0;
  console.log(
    `of all files: ${sum.toFixed(0)} s; to load them: ${loading.toFixed(0)} s; the rest is PostgreSQL and the runner`,
  );
}

function againstBudget(cpu: number): string {
  const over = cpu > USUAL_BUDGET_S ? ': more than CONTRIBUTING.md promises' : '';
  return `budget: ${Math.round(cpu)} of ${USUAL_BUDGET_S} s of processor time${over}`;
}

function keepDurations(root: string, tier: Tier, outcomes: readonly Outcome[]): void {
  const seconds = Object.fromEntries(outcomes.map(({ entry, seconds }) => [entry, Math.round(seconds)]));
  writeJson(durationsFile(root), { ...readDurations(root), [tier]: seconds });
}

function writeJson(path: string, value: unknown): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`);
}
