import { html } from 'hono/html';
import { hidden } from '../../../web/fields.ts';
import { icon } from '../../../web/icons.ts';
import type { Markup } from '../../../web/layout.ts';
import { parameter } from '../../../web/request-parameters.ts';
import {
  PERIOD_KINDS,
  type Period,
  type PeriodKind,
  parsePeriod,
  periodAfter,
  periodAt,
  periodBefore,
} from '../base/periods.ts';
import { periodWords } from './period-words.ts';

const LABELS: Record<PeriodKind, string> = { day: 'Day', week: 'Week', month: 'Month', year: 'Year' };
const DATE = /^\d{4}-\d\d-\d\d$/;

/**
 * The period that an address asks for. `period`: its kind. `at`: its name, such as `2026-11`. `on`: a day in it, from the date field.
 * Anything else shows this month.
 */
export function periodOf(query: unknown, now = new Date()): Period {
  const asked = parameter(query, 'period');
  const kind = PERIOD_KINDS.find((one) => one === asked) ?? 'month';
  const on = parameter(query, 'on') ?? '';
  const day = DATE.test(on) ? parsePeriod('day', on) : null;
  return (day && periodAt(kind, day.from)) ?? parsePeriod(kind, parameter(query, 'at') ?? '') ?? periodAt(kind, now);
}

/** The address of a page about a period. `more`: further parameters. */
export function periodAddress(
  path: string,
  { kind, name }: Period,
  more: Readonly<Record<string, string>> = {},
): string {
  return `${path}?${new URLSearchParams({ period: kind, at: name, ...more })}`;
}

/** Chooses the kind of the period. The period that is shown then begins with the same day. */
export function periodKinds(path: string, period: Period, now = new Date()): Markup {
  const isNow = period.from <= now && now < period.until;
  const chip = (kind: PeriodKind) =>
    html`<a href="${periodAddress(path, periodAt(kind, isNow ? now : period.from))}"${kind === period.kind && html` aria-current="true"`}>${LABELS[kind]}</a>`;
  return html`<nav class="chips" aria-label="Length of the period">${PERIOD_KINDS.map(chip)}</nav>`;
}

/** How a browser asks for one of this kind. Where it has no such field, it is text of the given form. */
const FIELDS = {
  day: ['date', '[0-9]{4}-[01][0-9]-[0-3][0-9]'],
  week: ['week', '[0-9]{4}-W[0-5][0-9]'],
  month: ['month', '[0-9]{4}-[01][0-9]'],
  year: ['number', null],
} as const satisfies Record<PeriodKind, readonly [type: string, form: string | null]>;

/** Chooses which one: the one before, the one after, or another by its name. */
export function periodSteps(path: string, period: Period, now = new Date()): Markup {
  return steps({
    ...{ path, period, now, field: 'at' },
    addressOf: (other) => periodAddress(path, other),
    kept: hidden('period', period.kind),
  });
}

/** The same for pages that are about months only. */
export function monthSteps(path: string, month: Period, now = new Date()): Markup {
  return steps({ path, period: month, now, field: 'month', addressOf: ({ name }) => `${path}?month=${name}` });
}

type Steps = {
  readonly path: string;
  readonly period: Period;
  readonly now: Date;
  /** The parameter that holds a period's name. */
  readonly field: string;
  readonly addressOf: (period: Period) => string;
  readonly kept?: ReturnType<typeof hidden>;
};

function steps({ path, period, now, field, addressOf, kept }: Steps): Markup {
  const [before, after] = [periodBefore(period), periodAfter(period)];
  const [type, form] = FIELDS[period.kind];
  const last = periodAt(period.kind, now).name;
  const step = (rel: 'prev' | 'next', when: string, to: Period) =>
    html`<a rel="${rel}" href="${addressOf(to)}" title="${periodWords(to)}">${icon(rel === 'prev' ? 'back' : 'chevron')}<span class="visually-hidden">${when}: ${periodWords(to)}</span></a>`;
  return html`<div class="period">
<nav aria-label="Period">${step('prev', 'Earlier', before)}
<h2>${periodWords(period)}</h2>
${after.from > now ? html`<span class="end" aria-hidden="true">${icon('chevron')}</span>` : step('next', 'Later', after)}</nav>
<form method="get" action="${path}">${kept}<label for="${field}">${LABELS[period.kind]}</label><input id="${field}" type="${type}" name="${field}" value="${period.name}" max="${last}"${form && html` pattern="${form}" placeholder="${last}"`} required><button class="secondary small">Show</button></form>
</div>`;
}
