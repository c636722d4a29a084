import { html } from 'hono/html';
import { type Address, toChecksum } from '../../base/address.ts';
import { type Period, parsePeriod, periodAfter, periodAt, periodBefore } from '../../economy/periods.ts';
import type { Statement, StatementLine } from '../../views/finance/statements.ts';
import { gameText } from '../../web/game-text.ts';
import { icon } from '../../web/icons.ts';
import type { Markup } from '../../web/layout.ts';
import { parameter } from '../../web/request-parameters.ts';
import { words } from '../../words/words.ts';
import { consoleTable } from './console-table.ts';
import { periodWords, utcMoment } from './periods.ts';

/** The month that an address asks for: this one, unless it names another. */
export function monthIn(query: unknown, now = new Date()): Period {
  return parsePeriod('month', parameter(query, 'month') ?? '') ?? periodAt('month', now);
}

/** Chooses the month of a page at `path`. */
export function monthSteps(path: string, month: Period, now = new Date()): Markup {
  const [before, after] = [periodBefore(month), periodAfter(month)];
  const step = (rel: 'prev' | 'next', { name, ...to }: Period) =>
    html`<a rel="${rel}" href="${path}?month=${name}">${icon(rel === 'prev' ? 'back' : 'chevron')}<span class="visually-hidden">${periodWords({ name, ...to })}</span></a>`;
  return html`<div class="period">
<nav aria-label="Month">${step('prev', before)}
<h2>${periodWords(month)}</h2>
${after.from > now ? html`<span class="end" aria-hidden="true">${icon('chevron')}</span>` : step('next', after)}</nav>
<form method="get" action="${path}"><label for="month">Month</label><input id="month" type="month" name="month" value="${month.name}" max="${now.toISOString().slice(0, 7)}" pattern="20[0-9][0-9]-[01][0-9]" required><button class="secondary small">Show</button></form>
</div>`;
}

/** An app's statement of a month, as it prints. `address`: of the app's account. */
export function statementSheet(statement: Statement, address: Address | null): Markup {
  const { app, period } = statement;
  return html`<section class="card sheet"><h2>Statement for ${periodWords(period)}</h2>
<dl class="facts">
<div><dt>App</dt><dd><bdi>${gameText(app.name, 80)}</bdi> <code>${app.id}</code></dd></div>
${address && html`<div><dt>Account</dt><dd><code>${toChecksum(address)}</code></dd></div>`}
<div><dt>Unit</dt><dd>Quarters</dd></div>
</dl>
${statementTable(statement)}
<p class="hint">${countedSentence(statement)} Months begin and end in UTC.</p>
</section>`;
}

/** Opening, in and out by kind, and closing of an app's account. */
export function statementTable({ opening, in: inward, totalIn, out, totalOut, closing }: Statement): Markup {
  const amount = (quarters: bigint) => html`<td class="number" data-label="Quarters">${words.number(quarters)}</td>`;
  const none = html`<td class="number"></td>`;
  const line = ({ name, count, quarters }: StatementLine) =>
    html`<tr><th scope="row">${name}</th><td class="number" data-label="Transfers">${words.number(BigInt(count))}</td>${amount(quarters)}</tr>`;
  const part = (title: string, lines: readonly StatementLine[], total: bigint) =>
    html`<tbody><tr class="group"><th scope="rowgroup" colspan="3">${title}</th></tr>${lines.map(line)}<tr class="total"><th scope="row">Total ${title.toLowerCase()}</th>${none}${amount(total)}</tr></tbody>`;
  return consoleTable(
    'What the account had, got, gave and has',
    html`<thead><tr><th scope="col">Kind</th><th scope="col" class="number">Transfers</th><th scope="col" class="number">Quarters</th></tr></thead>
<tbody><tr class="total"><th scope="row">Opening balance</th>${none}${amount(opening)}</tr></tbody>
${part('In', inward, totalIn)}
${part('Out', out, totalOut)}
<tbody><tr class="total"><th scope="row">Closing balance</th>${none}${amount(closing)}</tr></tbody>`,
    'amounts statement',
  );
}

/** Up to where figures are counted, in one sentence. */
export function countedSentence({
  counted,
  isFinal,
  period,
}: Pick<Statement, 'counted' | 'isFinal' | 'period'>): string {
  if (counted.block === null || counted.at === null) return 'Nothing is counted yet.';
  const upTo = `Counted up to block ${words.number(counted.block)}, ${utcMoment(counted.at)}.`;
  return isFinal ? upTo : `${upTo} The ${period.kind} is not complete yet.`;
}
