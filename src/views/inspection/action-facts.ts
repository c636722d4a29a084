import type { Facts } from '../../base/facts.ts';
import type { ActionRow } from '../../operator-actions/operator-actions.ts';

export const ACTION_FACTS: Facts<ActionRow> = {
  id: { label: 'Action', value: ({ id }) => id },
  kind: { label: 'Kind', value: ({ kind }) => kind },
  paramsHash: { label: 'Hash', value: ({ paramsHash }) => paramsHash },
  subject: { value: ({ subject }) => subject },
  reason: { label: 'Reason', value: ({ reason }) => reason },
  state: { label: 'State', value: ({ state }) => state },
  askedBy: { label: 'Asked by', value: ({ askedBy }) => askedBy },
  decidedBy: { label: 'Decided by', value: ({ decidedBy }) => decidedBy },
  transferId: { value: ({ transferId }) => transferId },
  result: {
    label: 'Result',
    value: ({ result }) => result,
    text: ({ result }) => result && JSON.stringify(result),
  },
  keyHash: { value: ({ keyHash }) => keyHash },
  params: { label: 'Parameters', value: ({ params }) => JSON.parse(params), text: ({ params }) => params },
  quarters: { label: 'Amount', value: ({ amount }) => amount },
  askedAt: { label: 'Asked', value: ({ askedAt }) => askedAt },
  expiresAt: {
    label: 'Expires',
    value: ({ expiresAt }) => expiresAt,
    text: ({ state, expiresAt }) => (state === 'waiting' ? expiresAt : null),
  },
  decidedAt: { label: 'Decided', value: ({ decidedAt }) => decidedAt },
};
