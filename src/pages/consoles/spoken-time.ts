import { en } from '../../../words/en.ts';
import { lazily } from '../../base/lazily.ts';

const DIGITS = lazily(() => new Intl.NumberFormat(en.locale, { maximumSignificantDigits: 2 }));
const UNITS = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'min'],
] as const;

/** A time in its largest unit, with two digits: `840 ms`, `2.5 min`, `3 h`. */
export function spokenTime(milliseconds: number): string {
  const seconds = Math.max(milliseconds, 0) / 1000;
  if (seconds < 1) return `${DIGITS().format(Math.round(seconds * 1000))} ms`;
  const [length, unit] = UNITS.find(([of]) => seconds >= 2 * of) ?? [1, 's'];
  return `${DIGITS().format(seconds / length)} ${unit}`;
}
