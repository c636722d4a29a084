const UNITS = [
  [86_400_000, 'day'],
  [3_600_000, 'hour'],
  [60_000, 'minute'],
  [1_000, 'second'],
] as const;

/** A length of time in its largest unit: `3 hours`, `1 minute`. `ms`: negative counts as 0, since clocks differ. */
export function ageOf(ms: number): string {
  const [length, unit] = UNITS.find(([of]) => ms >= of) ?? UNITS[3];
  const count = Math.floor(Math.max(ms, 0) / length);
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}
