/** Calendar periods in UTC. Weeks begin on Monday (ISO 8601). */
export type PeriodKind = 'day' | 'week' | 'month' | 'year';

export const PERIOD_KINDS = ['day', 'week', 'month', 'year'] as const satisfies readonly PeriodKind[];

export type Period = {
  readonly kind: PeriodKind;
  readonly from: Date;
  /** The beginning of the next one. */
  readonly until: Date;
  /** As in addresses and on the command line: `2026-11-23`, `2026-W48`, `2026-11`, `2026`. */
  readonly name: string;
};

const DAY_MS = 86_400_000;

/** The period that this moment is in. */
export function periodAt(kind: PeriodKind, at: Date): Period {
  const [year, month] = [at.getUTCFullYear(), at.getUTCMonth()];
  const midnight = Math.floor(at.getTime() / DAY_MS) * DAY_MS;
  if (kind === 'year') return { kind, from: utc(year), until: utc(year + 1), name: `${year}` };
  if (kind === 'month') {
    const from = utc(year, month);
    return { kind, from, until: utc(year, month + 1), name: from.toISOString().slice(0, 7) };
  }
  if (kind === 'day') {
    const from = new Date(midnight);
    return { kind, from, until: new Date(midnight + DAY_MS), name: from.toISOString().slice(0, 10) };
  }
  const monday = midnight - ((at.getUTCDay() + 6) % 7) * DAY_MS;
  return { kind, from: new Date(monday), until: new Date(monday + 7 * DAY_MS), name: weekName(monday) };
}

/** The period with this name; null if it is none of this kind, or outside the years 1970 to 9998. */
export function parsePeriod(kind: PeriodKind, name: string): Period | null {
  const start = kind === 'week' ? mondayOf(name) : Date.parse(`${name}${COMPLETING[kind]}T00:00:00Z`);
  if (Number.isNaN(start) || start < 0 || start >= LAST) return null;
  const period = periodAt(kind, new Date(start));
  return period.name === name ? period : null;
}

export function periodBefore({ kind, from }: Period): Period {
  return periodAt(kind, new Date(from.getTime() - 1));
}

export function periodAfter({ kind, until }: Period): Period {
  return periodAt(kind, until);
}

const HOUR_MS = 3_600_000;

/** The end of the hour that this moment is in. Figures are by hour, so "until now" is until then. */
export function endOfHour(at: Date): Date {
  return new Date((Math.floor(at.getTime() / HOUR_MS) + 1) * HOUR_MS);
}

/**
 * The moment of the period before that corresponds to this one, so that equal times are compared: the end of the same hour, and not beyond
 * that period, which may be shorter. Null if the period is over: all of it is compared.
 */
export function sameMomentBefore(period: Period, now: Date): Date | null {
  if (now >= period.until) return null;
  const before = periodBefore(period);
  const passed = Math.max(endOfHour(now).getTime() - period.from.getTime(), 0);
  return new Date(Math.min(before.from.getTime() + passed, before.until.getTime()));
}

const COMPLETING = { day: '', month: '-01', year: '-01-01' } as const;
const LAST = Date.UTC(9999);

const utc = (year: number, month = 0) => new Date(Date.UTC(year, month));

/** A week belongs to the year that its Thursday is in. */
function weekName(monday: number): string {
  const year = new Date(monday + 3 * DAY_MS).getUTCFullYear();
  const week = Math.round((monday - firstMonday(year)) / (7 * DAY_MS)) + 1;
  return `${year}-W${String(week).padStart(2, '0')}`;
}

/** The Monday of a year's first week, which has January 4th. */
function firstMonday(year: number): number {
  const fourth = new Date(Date.UTC(year, 0, 4));
  return fourth.getTime() - ((fourth.getUTCDay() + 6) % 7) * DAY_MS;
}

function mondayOf(name: string): number {
  const [, year, week] = /^(\d{4})-W(\d\d)$/.exec(name) ?? [];
  return year === undefined ? Number.NaN : firstMonday(Number(year)) + (Number(week) - 1) * 7 * DAY_MS;
}
