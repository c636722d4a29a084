import { COMMANDS } from '../../cli/additions.ts';
import { CHORES, LOOPS } from '../../jobs/additions.ts';
import { OPERATOR_ROUTES } from '../../pages/additions.ts';
import { OPERATOR_SECTIONS, SHOWN_ELSEWHERE } from '../../pages/consoles/sections.ts';
import type { Wing } from '../../service/house.ts';

/** Shows, seals, signs and exports what operators did. */
export const operatorsLog: Wing = {
  name: 'operators-log',
  mount(house) {
    house.add(COMMANDS, { name: 'log', load: async () => (await import('./cli/log.ts')).addLogCommands });
    house.add(OPERATOR_SECTIONS, { name: 'log', path: '/log', label: 'Operator’s log', sign: 'list', at: 90 });
    house.add(SHOWN_ELSEWHERE, {
      of: ['user', 'app', 'transfer'],
      label: 'Operator’s log',
      text: 'What operators did',
      path: (id) => `/operator/log?${new URLSearchParams({ subject: id })}`,
      at: 10,
    });
    house.add(OPERATOR_ROUTES, async () => (await import('./pages/operator-log-routes.ts')).operatorLogRoutes);
    house.add(LOOPS, async () => {
      const { operatorLogLoop } = await import('./jobs/operator-log-loop.ts');
      return (service, turn) => [operatorLogLoop(service, turn(7))];
    });
    house.add(CHORES, async () => (await import('./jobs/operator-log-loop.ts')).LOG_CHORES);
  },
};
