import type { FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../../../base/problems.ts';
import { sendConsolePage } from '../../../pages/consoles/console.ts';
import { type OperatorRoutes, operatorPage } from '../../../pages/consoles/operator-frame.ts';
import { appFor, OPERATOR } from '../../../service/managers.ts';
import type { Service } from '../../../service/service.ts';
import { sendCsv } from '../../../web/csv.ts';
import { parameter } from '../../../web/request-parameters.ts';
import { periodBefore, sameMomentBefore } from '../base/periods.ts';
import { readEconomy } from '../views/read-economy.ts';
import { readStatement } from '../views/read-statements.ts';
import { appEconomyPage } from './app-economy-page.ts';
import { appOrderOf } from './apps-table.ts';
import { COUNT_AGAIN_SECONDS } from './counted-notice.ts';
import { ECONOMY_FILES, type EconomyTable } from './economy-csv.ts';
import { ECONOMY_SECTIONS, type EconomySection, economyPage } from './economy-page.ts';
import { periodOf } from './period-choice.ts';
import { questionRoutes } from './question-routes.ts';

/**
 * GET /operator shows the economy in a period, …/economy/flows and others a part of it each, …/economy/{table}.csv exports its tables, and
 * …/economy/apps/{id} shows what one app's account got and gave. Further pages answer one question each.
 */
export function economyRoutes(operators: OperatorRoutes, service: Service): void {
  questionRoutes(operators, service);
  for (const path of Object.keys(ECONOMY_SECTIONS) as EconomySection[]) {
    operators.get(path, async ({ query }, reply, visitor) => {
      const economy = await readEconomy(service, periodOf(query));
      lookAgain(reply, economy.counted.isWhole);
      const content = economyPage(path, economy, appOrderOf(parameter(query, 'sort')));
      return sendConsolePage(reply, operatorPage(visitor, 'economy', content));
    });
  }
  operators.get('/operator/economy/:table.csv', async (request, reply, visitor) => {
    const { table } = request.params as { table: string };
    if (!Object.hasOwn(ECONOMY_FILES, table)) throw new Problem('not-found', 'There is no such table.');
    const period = periodOf(request.query);
    return sendCsv(reply, visitor, `economy-${table}-${period.name}`, async () =>
      ECONOMY_FILES[table as EconomyTable](await readEconomy(service, period)),
    );
  });
  operators.get('/operator/economy/apps/:id', async (request, reply, visitor) => {
    const app = await appFor(service, OPERATOR, idOf(request), 'read');
    const period = periodOf(request.query);
    const earlier = periodBefore(period);
    const comparedUntil = sameMomentBefore(period, new Date());
    const [now, before] = await Promise.all([
      readStatement(service, app, period),
      readStatement(service, app, earlier, comparedUntil ?? earlier.until),
    ]);
    const content = appEconomyPage({ app, period, comparedUntil, now, before });
    return sendConsolePage(reply, operatorPage(visitor, 'economy', content));
  });
}

function lookAgain(reply: FastifyReply, isWhole: boolean): void {
  if (!isWhole) void reply.header('refresh', String(COUNT_AGAIN_SECONDS));
}

function idOf({ params }: FastifyRequest): string {
  return (params as { id: string }).id;
}
