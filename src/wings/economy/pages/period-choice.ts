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

/** Chooses which one: the one before, the one after, or the one of a date. */
export function periodSteps(path: string, period: Period, now = new Date()): Markup {
  const [before, after] = [periodBefore(period), periodAfter(period)];
  const isLast = after.from > now;
  const date = period.from.toISOString().slice(0, 10);
  return html`<div class="period">
<nav aria-label="Period"><a rel="prev" href="${periodAddress(path, before)}" title="${periodWords(before)}">${icon('back')}<span class="visually-hidden">Earlier: ${periodWords(before)}</span></a>
<h2>${periodWords(period)}</h2>
${
  isLast
    ? html`<span class="end" aria-hidden="true">${icon('chevron')}</span>`
    : html`<a rel="next" href="${periodAddress(path, after)}" title="${periodWords(after)}">${icon('chevron')}<span class="visually-hidden">Later: ${periodWords(after)}</span></a>`
}</nav>
<form method="get" action="${path}">${hidden('period', period.kind)}<label for="on">${period.kind === 'day' ? 'Day' : `${LABELS[period.kind]} of`}</label><input id="on" type="date" name="on" value="${date}" max="${now.toISOString().slice(0, 10)}" required><button class="secondary small">Show</button></form>
</div>`;
}
