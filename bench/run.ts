import { parseArgs } from 'node:util';
import type { Claim, Effort } from './claim.ts';
import { describeCommit, describeMachine } from './machine.ts';
import { processorTimeBetween, readProcessorTime } from './processor-time.ts';
import { type Conditions, conditionsText, lineOf, type Measured, textOf } from './report.ts';

/** All processes of the bench come from this one. */
const OURS = { ours: [process.pid] };

export type BenchOptions = {
  readonly write: boolean;
  readonly growth: boolean;
  /** Names of claims; empty: all of them. */
  readonly only: readonly string[];
  readonly runs: number;
  readonly effort: Effort;
};

/** Reads the options of `npm run bench`, which each claim takes too when it runs alone. */
export function readOptions(): BenchOptions {
  const { values } = parseArgs({
    options: {
      quick: { type: 'boolean', default: false },
      write: { type: 'boolean', default: false },
      growth: { type: 'boolean', default: false },
      only: { type: 'string', multiple: true, default: [] },
      runs: { type: 'string' },
      seconds: { type: 'string' },
    },
  });
  const { quick, ...rest } = values;
  if (quick && rest.write) throw new Error('What a short look measures is not published: --write without --quick.');
  return {
    ...rest,
    runs: Number(values.runs ?? (quick ? 1 : 3)),
    effort: { quick, seconds: Number(values.seconds ?? (quick ? 6 : 30)) },
  };
}

/**
 * Measures each claim in turn, all of them once before any a second time, and prints its medians. What each run measures is printed at once,
 * so that a claim that fails later loses nothing.
 */
export async function measureClaims(
  claims: readonly Claim[],
  { runs, effort }: BenchOptions,
): Promise<{ conditions: Conditions; measured: readonly Measured[] }> {
  const conditions = {
    machine: await describeMachine(),
    commit: describeCommit(),
    date: new Date().toISOString().slice(0, 10),
    seconds: effort.seconds,
    runs,
  };
  console.log(conditionsText(conditions));
  const figures = claims.map((): Measured['runs'][number][] => []);
  for (let run = 1; run <= runs; run++) {
    for (const [i, claim] of claims.entries()) {
      const [began, before] = [performance.now(), readProcessorTime(OURS)];
      const measured = await claim.measure(effort);
      figures[i]!.push(measured);
      const milliseconds = performance.now() - began;
      const { others } = processorTimeBetween(before, readProcessorTime(OURS));
      const disturbed = `other programs used ${Math.round((others! / milliseconds) * 100)} % of a core`;
      console.error(`run ${run} of ${runs}: ${claim.name}, ${Math.round(milliseconds / 1000)} s; ${disturbed}`);
      if (runs === 1) console.log(textOf({ claim, runs: [measured] }));
      else console.error(`  ${lineOf(measured)}`);
    }
  }
  const measured = claims.map((claim, i) => ({ claim, runs: figures[i]! }));
  if (runs > 1) for (const one of measured) console.log(textOf(one));
  return { conditions, measured };
}

/** What a claim's file does when it is run by itself. */
export async function runAlone(...claims: readonly Claim[]): Promise<void> {
  await measureClaims(claims, readOptions());
}
