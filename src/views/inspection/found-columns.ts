import type { Column } from '../../base/columns.ts';
import type { Reward } from '../../ledger/rewards.ts';
import type { ActionRow } from '../../operator-actions/operator-actions.ts';
import { type Activity, purposeOfOutside } from '../accounts/read-activity.ts';
import { KINDS } from '../payments/payment-columns.ts';
import { PURPOSE_NAMES } from './purpose-names.ts';
import type { Hit } from './search.ts';

export const HIT_COLUMNS = {
  kind: { label: 'Kind', value: ({ what }) => what },
  name: { label: 'Name', value: ({ name }) => name },
} satisfies Record<string, Column<Hit>>;

/** What operators did. */
export const DONE_COLUMNS = {
  asked: { label: 'Asked', value: ({ askedAt }) => askedAt },
  action: { label: 'Action', value: ({ kind }) => kind },
  by: { label: 'By', value: ({ askedBy }) => askedBy },
  state: { label: 'State', value: ({ state }) => state },
  quarters: { label: 'Quarters', kind: 'number', value: ({ amount }) => amount },
} satisfies Record<string, Column<ActionRow>>;

export const REWARD_COLUMNS = {
  granted: { label: 'Granted', value: ({ grantedAt }) => grantedAt },
  source: { label: 'Source', value: ({ source }) => source },
  left: { label: 'Left', kind: 'number', value: ({ left }) => left },
  quarters: { label: 'Quarters', kind: 'number', value: ({ amount }) => amount },
} satisfies Record<string, Column<Reward>>;

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
