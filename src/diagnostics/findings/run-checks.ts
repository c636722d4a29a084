import { inTime } from '../../base/in-time.ts';
import { type Finding, type HealthCheck, type HealthState, worstState } from './finding.ts';

/** Looks at one part of `Subject`. Several findings are several faults of that part. Null or none: there is no such part here. */
export type Check<Subject> = (subject: Subject) => Promise<Finding | readonly Finding[] | null>;

/** The checks of each part, in the order in which they are shown. */
export type PartChecks<Subject> = readonly (readonly [part: string, check: Check<Subject>])[];

/** What was found of every part, in a fixed order. `state`: the worst of them. */
export type CheckReport = { readonly state: HealthState; readonly checks: readonly HealthCheck[] };

type Limit = {
  /** For each part. All parts are looked at together. */
  readonly ms: number;
  /** What is found of a part that fails, or takes longer. */
  readonly late: Finding;
};

/** Looks at every part at once. Never rejects, and takes little longer than the limit. `onDone`: called after each part. */
export async function runChecks<Subject>(
  checks: PartChecks<Subject>,
  subject: Subject,
  { ms, late }: Limit,
  onDone: () => void = () => {},
): Promise<CheckReport> {
  const found = await Promise.all(
    checks.map(async ([part, check]): Promise<HealthCheck[]> => {
      const outcome = await inTime(
        Promise.resolve(check(subject)).then((found) => [found ?? []].flat()),
        ms,
      );
      onDone();
      return (outcome ?? [late]).map(({ state, says, facts = [], remedy = null }) => {
        return { part, state, says, facts, remedy };
      });
    }),
  );
  const all = found.flat();
  return { checks: all, state: worstState(all.map(({ state }) => state)) };
}
