import { en } from '../../../../words/en.ts';
import { lazily } from '../../../base/lazily.ts';
import type { Period } from '../base/periods.ts';

const MONTH = lazily(() => new Intl.DateTimeFormat(en.locale, { timeZone: 'UTC', month: 'long', year: 'numeric' }));
const DAY_MS = 86_400_000;

/** `November 2026`, in UTC. */
export const monthWords = (date: Date): string => MONTH().format(date);

/** A period as people say it: `23 November 2026`, `16 November to 22 November 2026`, `November 2026`, `2026`. */
export function periodWords({ kind, from, until, name }: Period): string {
  if (kind === 'year') return name;
  if (kind === 'month') return monthWords(from);
  if (kind === 'day') return en.day(from);
  const last = en.day(new Date(until.getTime() - DAY_MS));
  const first = en.day(from);
  const year = ` ${last.split(' ').at(-1)}`;
  return `${first.endsWith(year) ? first.slice(0, -year.length) : first} to ${last}`;
}

/** A moment to the minute in UTC: `23 November 2026, 12:03 UTC`. */
export function utcMoment(date: Date): string {
  return `${en.day(date)}, ${date.toISOString().slice(11, 16)} UTC`;
}
