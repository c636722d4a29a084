import { refuseWhileSuspended } from '../../may-act.ts';
import { refuseStoppedPayer } from '../refusals.ts';
import { nothing, type PaymentKind, withoutRequest } from './kind.ts';

/** The operator issues quarters from the treasury. */
export const issue = {
  ...withoutRequest,
  refuseEarly: refuseWhileSuspended,
  wants: nothing,
  refuse: refuseStoppedPayer,
  count: nothing,
  store: ({ origin }, written) => void written.changes.push(origin.change),
  flow: {
    ...{ 'treasury>player': 'issue', 'treasury>app': 'issue', 'treasury>outside': 'issue' },
    'treasury>treasury': 'issue',
  },
} as const satisfies PaymentKind<'issue'>;
