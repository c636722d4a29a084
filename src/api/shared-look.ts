/** Anybody may ask at any rate: one look in this time serves all of them. */
const LOOKS_APART_MS = 1_000;

/**
 * At most one look at a time, and at most one a second. Calls in between share the result of the last look. `look` must never
 * reject.
 */
export function sharedLook<T>(look: () => Promise<T>): () => Promise<T> {
  let last: Promise<T> | undefined;
  let isUnderWay = false;
  let begun = 0;

  async function begin(): Promise<T> {
    const seen = await look();
    isUnderWay = false;
    return seen;
  }

  return () => {
    // The absolute value, as the clock may be set back.
    const isFresh = Math.abs(Date.now() - begun) < LOOKS_APART_MS;
    if (last && (isUnderWay || isFresh)) return last;
    begun = Date.now();
    isUnderWay = true;
    last = begin();
    return last;
  };
}
