import type { Column } from '../../base/columns.ts';
import type { Reward } from '../../ledger/rewards.ts';
import type { ActionRow } from '../../operator-actions/operator-actions.ts';
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
