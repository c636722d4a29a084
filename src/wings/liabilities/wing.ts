import { COMMANDS } from '../../cli/additions.ts';
import { OPERATOR_ROUTES, PAGES } from '../../pages/additions.ts';
import { OPERATOR_SECTIONS } from '../../pages/consoles/sections.ts';
import type { Wing } from '../../service/house.ts';

export const liabilities: Wing = {
  name: 'liabilities',
  says: 'Publishes proofs of what all players own, which each player can check.',
  mount(house) {
    house.add(COMMANDS, async () => (await import('./cli/liabilities.ts')).addLiabilitiesCommands);
    house.add(OPERATOR_SECTIONS, {
      name: 'liabilities',
      path: '/liabilities',
      label: 'Liabilities',
      sign: 'scales',
      at: 70,
    });
    house.add(OPERATOR_ROUTES, async () => (await import('./pages/liabilities-page.ts')).liabilitiesRoutes);
    house.add(PAGES, async () => (await import('./pages/public-liabilities.ts')).publicLiabilitiesRoutes);
  },
};
