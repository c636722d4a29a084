const WITHIN_MS = 20_000;
/** A look costs the tests beside it: they come further and further apart. */
const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS] = [5, 40];

/** Waits until `condition` holds; fails, saying what was waited for, where it does not within 20 s. */
export async function until(what: string, condition: () => Promise<boolean> | boolean): Promise<void> {
  const deadline = Date.now() + WITHIN_MS;
  for (let pause = FIRST_PAUSE_MS; !(await condition()); pause = Math.min(pause * 1.5, LONGEST_PAUSE_MS)) {
    if (Date.now() > deadline) throw new Error(`Waited in vain for: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}
