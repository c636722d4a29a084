import { invalidInput } from '../../src/base/problems.ts';

const UNITS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};
/** Unit by unit: `31 days`, `90 s`, `1 h 30 min`. */
const PIECES = /(\d+(?:\.\d+)?)\s*([a-z]+)/g;
const WORDS: Readonly<Record<string, string>> = {
  millisecond: 'ms',
  sec: 's',
  second: 's',
  min: 'm',
  minute: 'm',
  hour: 'h',
  day: 'd',
  week: 'w',
};

/** As the control API takes one. Numbers are milliseconds. */
export type Duration = string | number;

/** Of a {@link Duration}. */
export const DURATION = {
  oneOf: [{ type: 'string' }, { type: 'number', description: 'Milliseconds' }],
  examples: ['31 days', '90 s', '1 h 30 min', '200 ms'],
};

/** In milliseconds, whole ones. `at`: where it was given. Throws `invalid-input` if it is none, or not within the bounds. */
export function durationOf(
  duration: Duration,
  at: string,
  bounds: readonly [least: number, most: number] | [] = [],
): number {
  const [least = -Infinity, most = Infinity] = bounds;
  const milliseconds = typeof duration === 'number' ? Math.round(duration) : Math.round(sumOf(duration, at));
  if (milliseconds >= least && milliseconds <= most) return milliseconds;
  throw invalidInput(at, `must be from ${least} to ${most} ms`);
}

function sumOf(text: string, at: string): number {
  let sum = 0;
  const rest = text.toLowerCase().replace(PIECES, (_piece, count: string, unit: string) => {
    sum += Number(count) * (UNITS[unit] ?? UNITS[WORDS[unit.replace(/s$/, '')] ?? ''] ?? Number.NaN);
    return '';
  });
  if (/^[\s,]*$/.test(rest) && text.trim() !== '' && !Number.isNaN(sum)) return sum;
  throw invalidInput(at, 'is no duration: use milliseconds as a number, or a text such as 31 days, 90 s or 1 h 30 min');
}
