import type { TestContext } from 'node:test';

const registered = new WeakMap<TestContext, (() => unknown)[]>();

/** Runs `cleanUp` when the test ends; what was opened last is closed first (the runner's own hooks run the other way). */
export function atEnd(t: TestContext, cleanUp: () => unknown): void {
  const existing = registered.get(t);
  if (existing) {
    existing.push(cleanUp);
    return;
  }
  const cleanUps = [cleanUp];
  registered.set(t, cleanUps);
  t.after(async () => {
    for (const run of cleanUps.reverse()) await run();
  });
}
