import { COMMANDS } from '../../cli/additions.ts';
import { KEPT, LOOPS } from '../../jobs/additions.ts';
import { APP_OVERVIEW, DEVELOPER_ROUTES, OPERATOR_ROUTES, PLAYER_PANELS } from '../../pages/additions.ts';
import { OPERATOR_SECTIONS, PAYMENT_FILES, SHOWN_ELSEWHERE } from '../../pages/consoles/sections.ts';
import type { Wing } from '../../service/house.ts';
import { ACCOUNT_CLOSED, HISTORY_CHANGED, PAYMENT_REFUSED } from '../../service/moments.ts';
import { refusalBufferOf } from './store/refusal-buffer.ts';

/** What moved, for whom and why; statements and exports; figures of an app. */
export const economy: Wing = {
  name: 'economy',
  mount(house) {
    house.add(
      COMMANDS,
      { name: 'economy', load: async () => (await import('./cli/economy.ts')).addEconomyCommand },
      { name: 'statements', load: async () => (await import('./cli/statements.ts')).addStatementsCommands },
      { name: 'postings', load: async () => (await import('./cli/postings.ts')).addPostingsCommands },
    );
    house.add(
      OPERATOR_SECTIONS,
      { name: 'economy', path: '', label: 'Economy', sign: 'chart', at: 10 },
      { name: 'statements', path: '/statements', label: 'Statements', sign: 'book', at: 60 },
    );
    house.add(
      SHOWN_ELSEWHERE,
      {
        of: ['app'],
        label: 'Economy',
        text: 'What came in and went out',
        path: (id) => `/operator/economy/apps/${id}`,
        at: 20,
      },
      {
        of: ['app'],
        label: 'Statements',
        text: 'Monthly statements',
        path: (id) => `/operator/statements/${id}`,
        at: 30,
      },
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
    house.add(KEPT, async () => ({
      'forget refusals': (await import('./store/refusals.ts')).KEPT_REFUSALS,
      'forget hours of the economy': (await import('./store/read-flows.ts')).KEPT_ECONOMY_HOURS,
    }));
    house.add(HISTORY_CHANGED, async () => (await import('./features/note-accounts.ts')).recountInside);
    house.add(PAYMENT_REFUSED, (service, payment, code) => refusalBufferOf(service).note(payment, code));
    house.add(ACCOUNT_CLOSED, async () => (await import('./store/refusals.ts')).deleteRefusalsOf);
    house.add(PLAYER_PANELS, async () => (await import('./pages/player-refusals.ts')).playerRefusals);
  },
};
