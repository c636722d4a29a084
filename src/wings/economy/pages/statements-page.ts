import { html } from 'hono/html';
import type { ConsoleContent } from '../../../pages/consoles/console.ts';
import { dataTable } from '../../../pages/consoles/console-table.ts';
import { gameText } from '../../../web/game-text.ts';
import { icon } from '../../../web/icons.ts';
import type { Markup } from '../../../web/layout.ts';
import type { Period } from '../base/periods.ts';
import { type Statements, sumOfStatements } from '../views/read-statements.ts';
import { BALANCE_SHEET_COLUMNS } from '../views/statement-lines.ts';
import type { Statement } from '../views/statements.ts';
import { monthSteps } from './period-choice.ts';
import { countedSentence } from './statement.ts';

export const STATEMENTS_PATH = '/operator/statements';

/** The address of a month's statements, or of a file of them. `path` continues the section's. */
export function monthAddress(path: string, { name }: Period): string {
  return `${STATEMENTS_PATH}${path}?month=${name}`;
}

/** The statements of all apps for a month. */
export function statementsPage(month: Period, { statements }: Statements, now = new Date()): ConsoleContent {
  const [first] = statements;
  const content = html`${monthSteps(STATEMENTS_PATH, month, now)}
${first && html`<p class="${first.isFinal ? 'hint' : 'notice'}">${countedSentence(first)}</p>`}
<section class="card"><h2 class="visually-hidden">Statements</h2>
${statements.length > 0 ? statementsTable(month, statements) : html`<p>No app had quarters in this month.</p>`}
</section>
<section class="card"><h2>For the accounts</h2>
<p class="files"><a href="${monthAddress('.csv', month)}">${icon('download')}All statements as CSV</a> <a href="${monthAddress('.json', month)}">${icon('download')}All statements as JSON</a> <a href="${monthAddress('/postings.csv', month)}">${icon('download')}All postings as CSV</a></p>
<p class="hint">The postings are every transfer of the month with its transaction hash. They show who paid whom, so you confirm it’s you first.</p>
</section>`;
  return { title: 'Statements', content };
}

function statementsTable(month: Period, statements: readonly Statement[]): Markup {
  /** The sum of all has no app. */
  type Row = ReturnType<typeof sumOfStatements> & { readonly app?: Statement['app'] };
  const app = (row: Row) =>
    row.app
      ? html`<a href="${monthAddress(`/${row.app.id}`, month)}"><bdi>${gameText(row.app.name, 80)}</bdi></a>`
      : 'Total';
  return dataTable<Row>(
    'What each app’s account had, got, gave and has, in quarters',
    [{ label: 'App', value: app }, ...Object.values(BALANCE_SHEET_COLUMNS)],
    [...statements, sumOfStatements(statements)],
    { kind: 'amounts', isTotal: (row) => row.app === undefined },
  );
}
