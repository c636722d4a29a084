import { COMMANDS } from '../../cli/additions.ts';
import type { Wing } from '../../service/house.ts';

/** Pays the rows of a file. */
export const payFiles: Wing = {
  name: 'pay-files',
  mount(house) {
    house.add(COMMANDS, { name: 'pay', load: async () => (await import('./cli/pay.ts')).addPayCommand });
  },
};
