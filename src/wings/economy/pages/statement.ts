import { html } from 'hono/html';
import { en } from '../../../../words/en.ts';
import { type Address, toChecksum } from '../../../base/address.ts';
import { groupedTable } from '../../../pages/consoles/console-table.ts';
import { gameText } from '../../../web/game-text.ts';
import type { Markup } from '../../../web/layout.ts';
import { parameter } from '../../../web/request-parameters.ts';
import { type Period, parsePeriod, periodAt } from '../base/periods.ts';
import { STATEMENT_COLUMNS, statementGroups } from '../views/statement-lines.ts';
import type { Statement } from '../views/statements.ts';
import { periodWords, utcMoment } from './period-words.ts';

/** The month that an address asks for: this one, unless it names another. */
export function monthIn(query: unknown, now = new Date()): Period {
  return parsePeriod('month', parameter(query, 'month') ?? '') ?? periodAt('month', now);
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
export function statementTable(statement: Statement): Markup {
  const groups = statementGroups(statement);
  return groupedTable('What the account had, got, gave and has', Object.values(STATEMENT_COLUMNS), groups, {
    kind: 'amounts statement',
    isTotal: ({ count }) => count === null,
  });
}

/** Up to where figures are counted, in one sentence. */
export function countedSentence({
  counted,
  isFinal,
  period,
}: Pick<Statement, 'counted' | 'isFinal' | 'period'>): string {
  if (counted.block === null || counted.at === null) return 'Nothing is counted yet.';
  const upTo = `Counted up to block ${en.number(counted.block)}, ${utcMoment(counted.at)}.`;
  return isFinal ? upTo : `${upTo} The ${period.kind} is not complete yet.`;
}
