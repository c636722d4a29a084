/** Milliseconds, or amounts with their units: `'30 s'`, `'1 h 30 min'`, `'31 days'`. */
export type Duration = number | string;

const UNITS: readonly [names: RegExp, milliseconds: number][] = [
  [/^(ms|milliseconds?)$/, 1],
  [/^(s|sec|seconds?)$/, 1_000],
  [/^(m|min|minutes?)$/, 60_000],
  [/^(h|hours?)$/, 3_600_000],
  [/^(d|days?)$/, 86_400_000],
];

export function millisecondsOf(duration: Duration): number {
  if (typeof duration === 'number') return duration;
  const pieces = [...duration.matchAll(/(\d+(?:\.\d+)?)\s*([a-z]+)/g)];
  const milliseconds = pieces.map(([, amount, unit]) => {
    const [, length = Number.NaN] = UNITS.find(([names]) => names.test(unit ?? '')) ?? [];
    return Number(amount) * length;
  });
  const sum = Math.round(milliseconds.reduce((all, one) => all + one, 0));
  if (pieces.map(([piece]) => piece).join(' ') === duration && sum > 0) return sum;
  throw new TypeError(`"${duration}" is no duration, such as '30 s', '1 h 30 min' or '31 days'`);
}
