/** Anybody may ask, as often as they like: one look in this time serves all of them. */
const LOOKS_APART_MS = 1_000;

/**
 * One look at a time, and one a second at the most: whoever asks meanwhile gets what the last one finds, or has found. `look` never
 * rejects.
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
    // Also once more after a clock that was put back.
    const isFresh = Math.abs(Date.now() - begun) < LOOKS_APART_MS;
    if (last && (isUnderWay || isFresh)) return last;
    begun = Date.now();
    isUnderWay = true;
    last = begin();
    return last;
  };
}
