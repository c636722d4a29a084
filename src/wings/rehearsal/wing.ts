import { COMMANDS } from '../../cli/additions.ts';
import type { Wing } from '../../service/house.ts';

/** Brings webhooks to a developer’s machine, and makes events happen. */
export const rehearsal: Wing = {
  name: 'rehearsal',
  mount(house) {
    house.add(
      COMMANDS,
      { name: 'listen', load: async () => (await import('./cli/listen.ts')).addListenCommand },
      { name: 'trigger', load: async () => (await import('./cli/trigger.ts')).addTriggerCommand },
    );
  },
};
