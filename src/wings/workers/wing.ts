import { WORKERS } from '../../process/additions.ts';
import type { Wing } from '../../service/house.ts';

/** Several worker processes behind one port. */
export const workers: Wing = {
  name: 'workers',
  mount(house) {
    house.add(WORKERS, {
      loadSupervisor: async () => (await import('./process/supervisor.ts')).answerByWorkers,
      loadWorker: async () => (await import('./process/worker.ts')).work,
    });
  },
};
