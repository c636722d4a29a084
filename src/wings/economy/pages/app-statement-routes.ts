import type { FastifyRequest } from 'fastify';
import { html } from 'hono/html';
import { lookUpAccountOfApp } from '../../../ledger/accounts.ts';
import type { Session } from '../../../oauth/sessions.ts';
import { appConsolePage, appIdOf, pathOfApp } from '../../../pages/consoles/app-frame.ts';
import { sendConsolePage } from '../../../pages/consoles/console.ts';
import { appFor, asDeveloper } from '../../../service/managers.ts';
import type { Service } from '../../../service/service.ts';
import { sendCsv } from '../../../web/csv.ts';
import { icon } from '../../../web/icons.ts';
import type { SignedInRoutes } from '../../../web/visitor.ts';
import { readStatement } from '../views/read-statements.ts';
import { statementLines } from '../views/statement-lines.ts';
import type { Statement } from '../views/statements.ts';
import { monthSteps } from './period-choice.ts';
import { monthIn, statementSheet } from './statement.ts';

const PATH = '/developer/apps/:id/statement';

/** GET …/statement shows an app's team its statement of a month, …/statement.csv is its file. */
export function appStatementRoutes(visitors: SignedInRoutes, service: Service): void {
  visitors.get(PATH, async (request, reply, { session }) => {
    const { app, statement } = await statementFor(service, request, session);
    const account = await lookUpAccountOfApp(service.db, app.id);
    const path = `${pathOfApp(app.id)}/statement`;
    const { name } = statement.period;
    const content = html`${monthSteps(path, statement.period)}
${statementSheet(statement, account?.address ?? null)}
<p class="files"><a href="${path}.csv?month=${name}">${icon('download')}Download CSV</a> <a href="${pathOfApp(app.id)}/payments">All payments</a></p>`;
    return sendConsolePage(reply, appConsolePage(app, 'payments', { title: 'Statement', content }));
  });
  visitors.get(`${PATH}.csv`, async (request, reply, visitor) => {
    const { name } = monthIn(request.query);
    return sendCsv(reply, visitor, `statement-${name}`, async () =>
      statementLines([(await statementFor(service, request, visitor.session)).statement]),
    );
  });
}

async function statementFor(service: Service, request: FastifyRequest, session: Session) {
  const app = await appFor(service, asDeveloper(session), appIdOf(request), 'read');
  const statement: Statement = await readStatement(service, app, monthIn(request.query));
  return { app, statement };
}
