/** The same order for the same seed and length: Fisher and Yates, with the numbers of mulberry32. */
export function shuffled<T>(items: readonly T[], seed: number): T[] {
  const next = numbersOf(seed);
  const mixed = [...items];
  for (let left = mixed.length - 1; left > 0; left--) {
    const other = Math.floor(next() * (left + 1));
    [mixed[left], mixed[other]] = [mixed[other]!, mixed[left]!];
  }
  return mixed;
}

/** From 0 to below 1. */
function numbersOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
