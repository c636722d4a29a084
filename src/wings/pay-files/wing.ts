import { COMMANDS } from '../../cli/additions.ts';
import type { Wing } from '../../service/house.ts';

export const payFiles: Wing = {
  name: 'pay-files',
  says: 'Pays the rows of a file.',
  mount(house) {
    house.add(COMMANDS, { name: 'pay', load: async () => (await import('./cli/pay.ts')).addPayCommand });
  },
};
