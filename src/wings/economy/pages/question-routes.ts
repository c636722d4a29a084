import { type ConsoleContent, sendConsolePage } from '../../../pages/consoles/console.ts';
import { type OperatorRoutes, operatorPage } from '../../../pages/consoles/operator-frame.ts';
import type { Service } from '../../../service/service.ts';
import { sendCsv } from '../../../web/csv.ts';
import type { RouteAccess } from '../../../web/visitor.ts';
import { readFarmed, readIdlePlayers } from '../views/player-lists.ts';
import { readEconomy } from '../views/read-economy.ts';
import { readGas } from '../views/read-gas.ts';
import { readLasting } from '../views/read-lasting.ts';
import { readRefusalReport } from '../views/read-refusals.ts';
import { spenderLines } from './economy-csv.ts';
import { farmedLines, farmedPage } from './farmed-page.ts';
import { gasLines, gasPage } from './gas-page.ts';
import { lastingLines, lastingPage } from './lasting-page.ts';
import { FARMED_PATH, GAS_PATH, LASTING_PATH, NEVER_PAID_PATH, REFUSALS_PATH, SPENDERS_PATH } from './more-pages.ts';
import { neverPaidLines, neverPaidPage } from './never-paid-page.ts';
import { periodOf } from './period-choice.ts';
import { refusalLines, refusalsPage } from './refusals-page.ts';
import { spendersPage } from './spenders-page.ts';

/** A page at `path` and its table at `path`.csv. */
type Question<Answer> = {
  readonly path: string;
  read(query: unknown): Promise<Answer>;
  page(answer: Answer): ConsoleContent;
  lines(answer: Answer): AsyncIterable<string>;
  /** What the file's name says besides the path's last part. */
  name(query: unknown): string;
  readonly access?: RouteAccess;
};

/** The pages that answer one question each, with a file each. They read only: what is slow to find, jobs have found. */
export function questionRoutes(operators: OperatorRoutes, service: Service): void {
  const ofPeriod = (query: unknown) => `-${periodOf(query).name}`;
  const today = () => `-${new Date().toISOString().slice(0, 10)}`;
  const looking = { fresh: true, action: 'look at players' };
  question(operators, {
    ...{ path: SPENDERS_PATH, page: spendersPage, lines: spenderLines, name: ofPeriod },
    ...{ access: { fresh: true, action: 'see who spends the most' } },
    read: (query) => readEconomy(service, periodOf(query)),
  });
  question(operators, {
    ...{ path: LASTING_PATH, page: lastingPage, lines: lastingLines, name: today },
    read: () => readLasting(service),
  });
  question(operators, {
    ...{ path: GAS_PATH, page: gasPage, lines: gasLines, name: ofPeriod },
    read: (query) => readGas(service, periodOf(query)),
  });
  question(operators, {
    ...{ path: REFUSALS_PATH, page: refusalsPage, lines: refusalLines, name: ofPeriod },
    read: (query) => readRefusalReport(service, periodOf(query)),
  });
  question(operators, {
    ...{ path: NEVER_PAID_PATH, page: neverPaidPage, lines: neverPaidLines, name: today, access: looking },
    read: () => readIdlePlayers(service),
  });
  question(operators, {
    ...{ path: FARMED_PATH, page: farmedPage, lines: farmedLines, name: today, access: looking },
    read: () => readFarmed(service),
  });
}

function question<Answer>(
  operators: OperatorRoutes,
  { path, read, page, lines, name, access = {} }: Question<Answer>,
): void {
  operators.get(path, access, async ({ query }, reply, visitor) =>
    sendConsolePage(reply, operatorPage(visitor, 'economy', page(await read(query)))),
  );
  operators.get(`${path}.csv`, access, async ({ query }, reply, visitor) =>
    sendCsv(reply, visitor, `economy-${path.split('/').at(-1)}${name(query)}`, async () => lines(await read(query))),
  );
}
