import { COMMANDS } from '../../src/cli/additions.ts';
import { RECEIVERS_TIME } from '../../src/features/webhooks/additions.ts';
import type { Wing } from '../../src/service/house.ts';
import { realTime } from './moved-time.ts';

/** The service as a throwaway, for the tests of a game. What it does to a service is in no program that serves players: only `local/main.ts` has it. */
export const emulator: Wing = {
  name: 'emulator',
  mount(house) {
    // The game's server has a clock that nobody moves.
    house.add(RECEIVERS_TIME, realTime);
    house.add(
      COMMANDS,
      { name: 'emulator', load: async () => (await import('./cli/emulator.ts')).addEmulatorCommand },
      { name: 'test', load: async () => (await import('./cli/test.ts')).addTestCommand },
    );
  },
};
