import { patienceMs } from '../run/patience.ts';

/** Every look costs other tests time, so the pauses grow. */
const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS] = [5, 100];

/**
 * Waits until `condition` holds. If it never does, or one look never ends, fails with what was waited for, and with what
 * `seen` returns instead.
 */
export async function until(
  what: string,
  condition: () => Promise<boolean> | boolean,
  seen?: () => unknown,
): Promise<void> {
  const deadline = performance.now() + patienceMs();
  for (let pause = FIRST_PAUSE_MS; !(await inTime(what, condition)); pause = Math.min(pause * 1.5, LONGEST_PAUSE_MS)) {
    if (performance.now() > deadline)
      throw new Error(`Waited in vain for: ${what}${seen ? `\nSeen: ${await seen()}` : ''}`);
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

async function inTime(what: string, condition: () => Promise<boolean> | boolean): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`Waited in vain for one look at: ${what}`)), patienceMs());
  });
  try {
    return await Promise.race([condition(), late]);
  } finally {
    clearTimeout(timer);
  }
}
