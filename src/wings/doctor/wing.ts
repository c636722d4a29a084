import { COMMANDS } from '../../cli/additions.ts';
import { PROBES } from '../../http/additions.ts';
import type { Wing } from '../../service/house.ts';

/** Examines an installation that need not work. */
export const doctor: Wing = {
  name: 'doctor',
  mount(house) {
    house.add(COMMANDS, { name: 'doctor', load: async () => (await import('./cli/doctor.ts')).addDoctorCommand });
    house.add(PROBES, async () => (await import('./http/doctor-mirror.ts')).doctorMirror);
  },
};
