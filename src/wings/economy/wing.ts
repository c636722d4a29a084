import { COMMANDS } from '../../cli/additions.ts';
import { LOOPS } from '../../jobs/additions.ts';
import {
  APP_OVERVIEW,
  DEVELOPER_ROUTES,
  OPERATOR_ROUTES,
  OPERATOR_SECTIONS,
  PAYMENT_FILES,
} from '../../pages/consoles/sections.ts';
import type { Wing } from '../../service/house.ts';

export const economy: Wing = {
  name: 'economy',
  says: 'What moved, for whom and why; statements and exports; figures of an app.',
  mount(house) {
    house.add(
      COMMANDS,
      async () => (await import('./cli/economy.ts')).addEconomyCommand,
      async () => (await import('./cli/statements.ts')).addStatementsCommands,
      async () => (await import('./cli/postings.ts')).addPostingsCommands,
    );
    house.add(
      OPERATOR_SECTIONS,
      { name: 'economy', path: '', label: 'Economy', sign: 'chart', at: 10 },
      { name: 'statements', path: '/statements', label: 'Statements', sign: 'book', at: 60 },
    );
    house.add(
      OPERATOR_ROUTES,
      async () => (await import('./pages/economy-routes.ts')).economyRoutes,
      async () => (await import('./pages/statements-routes.ts')).statementRoutes,
    );
    house.add(DEVELOPER_ROUTES, async () => (await import('./pages/app-statement-routes.ts')).appStatementRoutes);
    house.add(PAYMENT_FILES, { path: '/statement', label: 'Monthly statement' });
    house.add(APP_OVERVIEW, async () => (await import('./pages/app-overview.ts')).showAppOverview);
    house.add(LOOPS, async () => (await import('./jobs/economy-loop.ts')).economyLoops);
  },
};
