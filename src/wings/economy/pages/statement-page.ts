import { html } from 'hono/html';
import type { Address } from '../../../base/address.ts';
import type { ConsoleContent } from '../../../pages/consoles/console.ts';
import { gameText } from '../../../web/game-text.ts';
import { icon } from '../../../web/icons.ts';
import type { Statement } from '../views/statements.ts';
import { monthSteps } from './period-choice.ts';
import { statementSheet } from './statement.ts';
import { monthAddress, STATEMENTS_PATH } from './statements-page.ts';

/** One app's statement for a month. `address`: of the app's account. */
export function statementPage(statement: Statement, address: Address | null): ConsoleContent {
  const { app, period } = statement;
  const content = html`${monthSteps(`${STATEMENTS_PATH}/${app.id}`, period)}
${statementSheet(statement, address)}
<p class="files"><a href="${monthAddress(`/${app.id}/statement.csv`, period)}">${icon('download')}CSV</a> <a href="${monthAddress(`/${app.id}/statement.json`, period)}">${icon('download')}JSON</a> <a href="${monthAddress(`/${app.id}/postings.csv`, period)}">${icon('download')}Postings as CSV</a> <a href="${monthAddress('', period)}">All apps</a></p>`;
  return { title: `Statement of ${gameText(app.name, 80) ?? app.id}`, content };
}
