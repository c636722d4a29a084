/** Runs the tests of one process and reports each outcome. */
import { join, relative } from 'node:path';
import { run } from 'node:test';

export type Failure = { readonly file: string; readonly test: string; readonly message: string };
export type Counts = { passed: number; failed: number; skipped: number };

export type Outcome = {
  readonly entry: string;
  readonly seconds: number;
  /** The process did not finish: a crash, an exit, an error while loading, or a timeout. */
  readonly died: boolean;
  readonly failures: readonly Failure[];
  /** Counts by the file that contains the test. */
  readonly counts: ReadonlyMap<string, Counts>;
};

/** An event of `run()`, which reporters accept too. */
type TestEvent = { readonly type: string; readonly data: unknown };

type TestData = {
  readonly name: string;
  readonly nesting: number;
  readonly file?: string;
  /** Only in a summary. */
  readonly success?: boolean;
  readonly skip?: string | boolean;
  readonly todo?: string | boolean;
  readonly details?: { readonly type?: string; readonly error?: TestError };
};
type TestError = Error & { readonly failureType?: string; readonly cause?: unknown };

/** Every test process loads these first. */
const EXEC_ARGV = ['../test/kit/run/untracked.ts', '../test/kit/run/end-with-runner.ts', './test-costs.ts'].flatMap(
  (path) => ['--import', new URL(path, import.meta.url).href],
);

/** The runner's own counts, which are dropped: `npm test` counts over all processes. */
const OWN_COUNT = /^(tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) /;

/**
 * Runs one process of tests. Paths start at `root`. `report` receives the events in order when the process has ended. The
 * process also ends with this one.
 */
export async function runProcess(
  root: string,
  entry: string,
  limits: { readonly testMs: number; readonly processMs: number },
  report: (event: TestEvent) => void,
): Promise<Outcome> {
  const began = performance.now();
  const path = join(root, entry);
  const events: TestEvent[] = [];
  // `timeout` applies to each test. The processes of `run` have no timeout of their own.
  const signal = AbortSignal.timeout(limits.processMs);
  for await (const event of run({ files: [path], cwd: root, timeout: limits.testMs, signal, execArgv: EXEC_ARGV })) {
    events.push(event as TestEvent);
  }
  const outcome = { ...judge(root, path, events), entry, seconds: (performance.now() - began) / 1000 };
  for (const event of events) if (!isCount(event)) report(event);
  return outcome;
}

function isCount({ type, data }: TestEvent): boolean {
  return (
    type === 'test:summary' || (type === 'test:diagnostic' && OWN_COUNT.test((data as { message: string }).message))
  );
}

function judge(
  root: string,
  path: string,
  events: readonly TestEvent[],
): Pick<Outcome, 'died' | 'failures' | 'counts'> {
  const failures: Failure[] = [];
  const counts = new Map<string, Counts>();
  const countOf = (file: string) => counts.getOrInsertComputed(file, () => ({ passed: 0, failed: 0, skipped: 0 }));
  const ofRoot = (file: string) => relative(root, file).replaceAll('\\', '/');
  /** The tests around the current one, outermost first. */
  const around: TestData[] = [];
  let end: string | null = 'no end was reported';
  for (const { type, data } of events) {
    const test = data as TestData;
    // Only a process that finishes emits a summary. One that exits early, even with 0, has not run all its tests.
    if (type === 'test:summary' && test.file === path)
      end = test.success || failures.length > 0 ? null : 'not in order';
    if (type === 'test:start') around.splice(test.nesting, Number.POSITIVE_INFINITY, test);
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    const error = test.details?.error;
    // The process itself is reported as a test named after its path.
    if (test.nesting === 0 && test.name === path) {
      if (type === 'test:fail') end = firstLine(error);
      continue;
    }
    const file = ofRoot((test.nesting > 0 ? around[0]?.file : test.file) ?? path);
    const count = countOf(file);
    if (test.skip !== undefined || test.todo !== undefined) {
      count.skipped++;
    } else if (type === 'test:pass') {
      if (test.details?.type !== 'suite') count.passed++;
    } else {
      // A test that failed only because of its subtests adds nothing, and a suite is not a test.
      const isOwn = error?.failureType !== 'subtestsFailed';
      if (isOwn || test.details?.type !== 'suite') count.failed++;
      if (!isOwn) continue;
      const names = [...around.slice(0, test.nesting), test].map(({ name }) => name);
      failures.push({ file, test: names.join(' › '), message: firstLine(error) });
    }
  }
  if (end !== null) {
    countOf(ofRoot(path)).failed++;
    failures.push({ file: ofRoot(path), test: 'the process ended', message: end });
  }
  return { died: end !== null, failures, counts };
}

function firstLine(error: TestError | undefined): string {
  const cause = error?.cause;
  const text = cause instanceof Error ? cause.message : String(cause ?? error?.message ?? 'unknown');
  return text.split('\n', 1)[0]!.slice(0, 200);
}
