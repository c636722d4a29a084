import type { FastifyRequest } from 'fastify';
import { lookUpAccountOfApp } from '../../../ledger/accounts.ts';
import { sendConsolePage } from '../../../pages/consoles/console.ts';
import { type OperatorRoutes, operatorPage } from '../../../pages/consoles/operator-frame.ts';
import { appFor, type ManagedApp, OPERATOR } from '../../../service/managers.ts';
import type { Service } from '../../../service/service.ts';
import { sendCsv } from '../../../web/csv.ts';
import { JSON_TYPE, sendFile } from '../../../web/send-file.ts';
import { exportPostings } from '../views/export-postings.ts';
import { postingLines } from '../views/posting-lines.ts';
import { readStatement, readStatements } from '../views/read-statements.ts';
import { statementJson, statementJsonLines, statementLines } from '../views/statement-lines.ts';
import { monthIn } from './statement.ts';
import { statementPage } from './statement-page.ts';
import { STATEMENTS_PATH, statementsPage } from './statements-page.ts';

const APP_PATH = `${STATEMENTS_PATH}/:id`;
const OPENING_POSTINGS = { fresh: true, action: 'export the postings' };

/**
 * GET /operator/statements shows the statements of a month, …/{appId} one of them. Both are there as CSV and JSON. …/postings.csv exports
 * the month's postings, of all accounts or of an app's.
 */
export function statementRoutes(operators: OperatorRoutes, service: Service): void {
  operators.get(STATEMENTS_PATH, async (request, reply, visitor) => {
    const month = monthIn(request.query);
    const content = statementsPage(month, await readStatements(service, month));
    return sendConsolePage(reply, operatorPage(visitor, 'statements', content));
  });
  operators.get(`${STATEMENTS_PATH}.csv`, async (request, reply, visitor) => {
    const month = monthIn(request.query);
    return sendCsv(reply, visitor, `statements-${month.name}`, async () =>
      statementLines((await readStatements(service, month)).statements),
    );
  });
  operators.get(`${STATEMENTS_PATH}.json`, async (request, reply, { user }) => {
    const month = monthIn(request.query);
    return sendFile(reply, user, { name: `statements-${month.name}.json`, type: JSON_TYPE }, async () =>
      statementJsonLines((await readStatements(service, month)).statements),
    );
  });
  operators.get(`${STATEMENTS_PATH}/postings.csv`, OPENING_POSTINGS, async (request, reply, visitor) => {
    const month = monthIn(request.query);
    return sendCsv(reply, visitor, `postings-${month.name}`, async () =>
      postingLines(await exportPostings(service, month)),
    );
  });
  appRoutes(operators, service);
}

function appRoutes(operators: OperatorRoutes, service: Service): void {
  operators.get(APP_PATH, async (request, reply, visitor) => {
    const app = await appOf(service, request);
    const [statement, account] = await Promise.all([
      readStatement(service, app, monthIn(request.query)),
      lookUpAccountOfApp(service.db, app.id),
    ]);
    const content = statementPage(statement, account?.address ?? null);
    return sendConsolePage(reply, operatorPage(visitor, 'statements', content));
  });
  operators.get(`${APP_PATH}/statement.csv`, async (request, reply, visitor) => {
    const [app, month] = [await appOf(service, request), monthIn(request.query)];
    return sendCsv(reply, visitor, `statement-${app.id}-${month.name}`, async () =>
      statementLines([await readStatement(service, app, month)]),
    );
  });
  operators.get(`${APP_PATH}/statement.json`, async (request, reply, { user }) => {
    const [app, month] = [await appOf(service, request), monthIn(request.query)];
    const name = `statement-${app.id}-${month.name}.json`;
    return sendFile(
      reply,
      user,
      { name, type: JSON_TYPE },
      async () => `${JSON.stringify(statementJson(await readStatement(service, app, month)), null, 2)}\n`,
    );
  });
  operators.get(`${APP_PATH}/postings.csv`, OPENING_POSTINGS, async (request, reply, visitor) => {
    const [app, month] = [await appOf(service, request), monthIn(request.query)];
    return sendCsv(reply, visitor, `postings-${app.id}-${month.name}`, async () =>
      postingLines(await exportPostings(service, month, app.id)),
    );
  });
}

function appOf(service: Service, { params }: FastifyRequest): Promise<ManagedApp> {
  return appFor(service, OPERATOR, (params as { id: string }).id, 'read');
}
