const WITHIN_MS = 20_000;
const LOOK_EVERY_MS = 10;

/** Waits until `condition` holds; fails, saying what was waited for, where it does not within 20 s. */
export async function until(what: string, condition: () => Promise<boolean> | boolean): Promise<void> {
  const deadline = Date.now() + WITHIN_MS;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`Waited in vain for: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}
