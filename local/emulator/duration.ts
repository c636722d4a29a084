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

/** In milliseconds. */
export function durationOf(by: string | number): number {
  if (typeof by === 'number') return by;
  let sum = 0;
  const rest = by.toLowerCase().replace(PIECES, (_piece, count: string, unit: string) => {
    sum += Number(count) * (UNITS[unit] ?? UNITS[WORDS[unit.replace(/s$/, '')] ?? ''] ?? Number.NaN);
    return '';
  });
  if (/^[\s,]*$/.test(rest) && by.trim() !== '' && !Number.isNaN(sum)) return sum;
  throw invalidInput(
    '/by',
    'is no duration: use milliseconds as a number, or a text such as 31 days, 90 s or 1 h 30 min',
  );
}
