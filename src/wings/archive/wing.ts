import { COMMANDS } from '../../cli/additions.ts';
import type { Wing } from '../../service/house.ts';

/** Moves the rows of past months out of the live tables, and to files. */
export const archive: Wing = {
  name: 'archive',
  mount(house) {
    house.add(COMMANDS, { name: 'archive', load: async () => (await import('./cli/archive.ts')).addArchiveCommands });
  },
};
