import { lazily } from './lazily.ts';

const HUMAN = lazily(
  () =>
    new Intl.DateTimeFormat('en-US', {
      timeZone: 'UTC',
      year: 'numeric',
      month: 'long',
      day: 'numeric',
      hour: 'numeric',
      minute: '2-digit',
      second: '2-digit',
      hourCycle: 'h12',
    }),
);

/** Formats an account's date for the API, in UTC: `November 29, 2017 at 5:25:14 AM`. */
export function humanDateTime(date: Date): string {
  const part = Object.fromEntries(
    HUMAN()
      .formatToParts(date)
      .map(({ type, value }) => [type, value]),
  );
  return `${part.month} ${part.day}, ${part.year} at ${part.hour}:${part.minute}:${part.second} ${part.dayPeriod}`;
}

/** Converts a time to seconds since 1970, the remaining nanoseconds, and ISO 8601 in UTC. */
export function timestamp(date: Date): { seconds: number; nanoseconds: number; iso: string } {
  const milliseconds = date.getTime();
  const seconds = Math.floor(milliseconds / 1000);
  return { seconds, nanoseconds: (milliseconds - seconds * 1000) * 1_000_000, iso: date.toISOString() };
}

/** Whether this is a day of the form 2026-01-31. `Date` reads 31 February as 3 March. */
export function isDay(text: string): boolean {
  const date = /^\d{4}-\d\d-\d\d$/.test(text) ? new Date(text) : null;
  return date !== null && !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}
