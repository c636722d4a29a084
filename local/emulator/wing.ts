import { COMMANDS } from '../../src/cli/additions.ts';
import type { Wing } from '../../src/service/house.ts';

/** The service as a throwaway, for the tests of a game. What it does to a service is in no program that serves players: only `local/main.ts` has it. */
export const emulator: Wing = {
  name: 'emulator',
  mount(house) {
    house.add(
      COMMANDS,
      { name: 'emulator', load: async () => (await import('./cli/emulator.ts')).addEmulatorCommand },
      { name: 'test', load: async () => (await import('./cli/test.ts')).addTestCommand },
    );
  },
};
