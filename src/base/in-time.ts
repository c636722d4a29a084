const LIMIT_MS = 2_000;

/** What the work resolves to; null if it fails, or takes longer than the limit. Never rejects. */
export async function inTime<T>(work: Promise<T>, limitMs = LIMIT_MS): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, limitMs, null);
  });
  return Promise.race([work.catch(() => null), late]).finally(() => clearTimeout(timer));
}
