import { CALL_ENDED, COUNTERS } from '../../http/additions.ts';
import { KEPT, LOOPS } from '../../jobs/additions.ts';
import { DEVELOPER_ROUTES } from '../../pages/additions.ts';
import { APP_SECTIONS } from '../../pages/consoles/sections.ts';
import { CALL_COUNTS } from '../../service/call-counts.ts';
import type { Wing } from '../../service/house.ts';
import { callsWaiting } from './features/calls-waiting.ts';

/** Keeps the calls of an app for its developers. */
export const callLog: Wing = {
  name: 'call-log',
  mount(house) {
    house.add(CALL_ENDED, async () => (await import('./http/record-call.ts')).callRecorder);
    house.add(LOOPS, async () => (await import('./jobs/call-loop.ts')).callLoops);
    house.add(COUNTERS, (service) => ({
      name: 'api_log_dropped_total',
      help: "Calls that developers do not see in their app's log: too many in a second, or lost with the database",
      labels: [],
      values: [{ labels: {}, count: callsWaiting(service).dropped }],
    }));
    house.add(CALL_COUNTS, () => import('./store/call-hours.ts'));
    house.add(APP_SECTIONS, { name: 'log', path: '/log', label: 'Log', sign: 'list', at: 30 });
    house.add(KEPT, async () => ({
      'forget API calls': [(await import('./store/calls.ts')).KEPT_CALLS],
      'forget counts of API calls': [(await import('./store/call-hours.ts')).KEPT_CALL_HOURS],
    }));
    house.add(DEVELOPER_ROUTES, async () => (await import('./pages/log-pages.ts')).logRoutes);
  },
};
