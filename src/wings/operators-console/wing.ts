import { CALL_ENDED } from '../../http/additions.ts';
import { LOOPS } from '../../jobs/additions.ts';
import { OPERATOR_ROUTES } from '../../pages/additions.ts';
import { OPERATOR_SECTIONS } from '../../pages/consoles/sections.ts';
import { OPERATORS_CONSOLE } from '../../service/console-path.ts';
import type { Wing } from '../../service/house.ts';

/** Pages on which operators look things up and act. */
export const operatorsConsole: Wing = {
  name: 'operators-console',
  mount(house) {
    house.add(
      OPERATOR_SECTIONS,
      { name: 'health', path: '/health', label: 'Health', sign: 'pulse', at: 20 },
      { name: 'apps', path: '/apps', label: 'Apps', sign: 'games', at: 30 },
      { name: 'players', path: '/users', label: 'Players', sign: 'person', at: 33 },
      { name: 'payments', path: '/payments', label: 'Payments', sign: 'exchange', at: 36 },
      { name: 'actions', path: '/actions', label: 'Actions', sign: 'shield', at: 40 },
      { name: 'player-reports', path: '/player-reports', label: 'Player reports', sign: 'flag', at: 50 },
      { name: 'operators', path: '/operators', label: 'Operators', sign: 'team', at: 80 },
    );
    house.add(OPERATORS_CONSOLE, '/operator');
    house.add(CALL_ENDED, async () => (await import('./http/note-caller.ts')).callerNoter);
    house.add(LOOPS, async () => (await import('./jobs/seen-loop.ts')).seenLoops);
    house.add(OPERATOR_ROUTES, async () => (await import('./pages/operator-routes.ts')).operatorRoutes);
  },
};
