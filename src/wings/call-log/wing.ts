import { KEPT } from '../../jobs/additions.ts';
import { DEVELOPER_ROUTES } from '../../pages/additions.ts';
import { APP_SECTIONS } from '../../pages/consoles/sections.ts';
import type { Wing } from '../../service/house.ts';

export const callLog: Wing = {
  name: 'call-log',
  says: 'Keeps the calls of an app for its developers.',
  mount(house) {
    house.add(APP_SECTIONS, { name: 'log', path: '/log', label: 'Log', sign: 'list', at: 30 });
    house.add(KEPT, async () => ({
      'forget API calls': [(await import('./store/calls.ts')).KEPT_CALLS],
      'forget counts of API calls': [(await import('./store/call-hours.ts')).KEPT_CALL_HOURS],
    }));
    house.add(DEVELOPER_ROUTES, async () => (await import('./pages/log-routes.ts')).logRoutes);
  },
};
