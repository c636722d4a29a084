/** Runs the tests of one process, and says what became of each. */
import { join, relative } from 'node:path';
import { run } from 'node:test';

export type Failure = { readonly file: string; readonly test: string; readonly message: string };
export type Counts = { passed: number; failed: number; skipped: number };

export type Outcome = {
  readonly entry: string;
  readonly seconds: number;
  /** The process did not come to its end: a crash, an exit, an error while loading, or no time left. */
  readonly died: boolean;
  readonly failures: readonly Failure[];
  /** By the file in which a test is written. */
  readonly counts: ReadonlyMap<string, Counts>;
};

/** What `run()` tells; a reporter takes the same. */
type TestEvent = { readonly type: string; readonly data: unknown };

type TestData = {
  readonly name: string;
  readonly nesting: number;
  readonly file?: string;
  /** Of a summary. */
  readonly success?: boolean;
  readonly skip?: string | boolean;
  readonly todo?: string | boolean;
  readonly details?: { readonly type?: string; readonly error?: TestError };
};
type TestError = Error & { readonly failureType?: string; readonly cause?: unknown };

const EXEC_ARGV = ['--import', new URL('../test/support/end-with-runner.ts', import.meta.url).href];

/** `npm test` counts for itself, over all processes. */
const OWN_COUNT = /^(tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) /;

/**
 * Paths are from `root`. `report` gets the events of the process one after the other, when it has ended. It
 * ends with this process, too.
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
  // `timeout` is each test's: the processes of `run` have none of their own.
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
  /** The tests around the one that is told of, from the outermost on. */
  const around: TestData[] = [];
  let end: string | null = 'no end was told of';
  for (const { type, data } of events) {
    const test = data as TestData;
    // Only a process that came to its end sums up: one that exits, even with 0, leaves out what it did not run.
    if (type === 'test:summary' && test.file === path)
      end = test.success || failures.length > 0 ? null : 'not in order';
    if (type === 'test:start') around.splice(test.nesting, Number.POSITIVE_INFINITY, test);
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    const error = test.details?.error;
    // The process itself is told of as a test that has its path as a name.
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
      // What failed for its subtests alone says nothing that they do not, and a suite is no test.
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
