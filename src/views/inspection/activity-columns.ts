import type { Column } from '../../base/columns.ts';
import { type Activity, purposeOfOutside } from '../accounts/read-activity.ts';
import { KINDS } from '../payments/payment-columns.ts';
import { PURPOSE_NAMES } from './purpose-names.ts';

/** What came to a player is above zero. */
export const ACTIVITY_COLUMNS = {
  time: { label: 'Time', value: ({ at }) => at ?? 'long ago' },
  what: {
    label: 'What',
    value: (activity) =>
      activity.kind === 'request' ? KINDS[activity.request.source] : PURPOSE_NAMES[purposeOfOutside(activity)],
  },
  status: {
    label: 'Status',
    value: (activity) => (activity.kind === 'request' ? activity.request.status : 'completed'),
  },
  quarters: {
    label: 'Quarters',
    kind: 'signed',
    value: (activity) => (isIn(activity) ? activity.amount : -activity.amount),
  },
} satisfies Record<string, Column<Activity>>;

const isIn = (activity: Activity): boolean =>
  activity.kind === 'outside' ? activity.posting.direction === 'in' : activity.request.source !== 'user';
