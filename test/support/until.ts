/** A look costs the tests beside it: they come further and further apart. */
const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS] = [5, 40];

/** Waits until `condition` holds; fails, saying what was waited for, where it does not in time. */
export async function until(
  what: string,
  condition: () => Promise<boolean> | boolean,
  withinMs = 20_000,
): Promise<void> {
  const deadline = Date.now() + withinMs;
  for (let pause = FIRST_PAUSE_MS; !(await condition()); pause = Math.min(pause * 1.5, LONGEST_PAUSE_MS)) {
    if (Date.now() > deadline) throw new Error(`Waited in vain for: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}
