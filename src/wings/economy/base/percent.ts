/** How many of a hundred a part is; null without a whole. */
export function percentOf(part: bigint | number, whole: bigint | number): number | null {
  return Number(whole) === 0 ? null : (100 * Number(part)) / Number(whole);
}
