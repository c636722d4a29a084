import type { TestContext } from 'node:test';

const registered = new WeakMap<TestContext, (() => unknown)[]>();

/**
 * Runs `cleanUp` when the test ends; what was opened last is closed first (the runner's own hooks run the other way). One that
 * throws fails the test, and keeps none of the others from running.
 */
export function atEnd(t: TestContext, cleanUp: () => unknown): void {
  const existing = registered.get(t);
  if (existing) {
    existing.push(cleanUp);
    return;
  }
  const cleanUps = [cleanUp];
  registered.set(t, cleanUps);
  t.after(async () => {
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
