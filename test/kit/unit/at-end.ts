import { after } from 'node:test';

/** A test, or all tests of this process: {@link everyTest}. */
export type Ending = { after(cleanUp: () => Promise<void>): void };

/** Null: they have run. */
const registered = new WeakMap<Ending, (() => unknown)[] | null>();

/**
 * Runs `cleanUp` when the test ends. What was opened last is closed first (the runner's own hooks run the other way). A
 * failing clean-up fails the test but does not stop the others. The body of a test that took too long goes on: what it opens then is closed
 * at once, as it would keep the process alive.
 */
export function atEnd(t: Ending, cleanUp: () => unknown): void {
  const existing = registered.get(t);
  if (existing === null) {
    setImmediate(cleanUp);
    return;
  }
  if (existing) {
    existing.push(cleanUp);
    return;
  }
  const cleanUps = [cleanUp];
  registered.set(t, cleanUps);
  t.after(async () => {
    registered.set(t, null);
    const errors: unknown[] = [];
    for (const run of cleanUps.reverse()) {
      try {
        await run();
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 0) throw errors[0];
  });
}

/** Clean-ups registered with it run when all tests of this process have ended. */
export const everyTest: Ending = { after };
// The hook is registered here, because within a test it would belong to that test.
atEnd(everyTest, () => {});
