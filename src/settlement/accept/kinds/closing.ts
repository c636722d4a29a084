import { refuseInTheDark } from '../../may-act.ts';
import { refuseStoppedPayer } from '../refusals.ts';
import { nothing, type PaymentKind, withoutRequest } from './kind.ts';

/** What is left in a closed, a merged or a swept account leaves it. */
export const closing = {
  ...withoutRequest,
  // Also while quarters move to new addresses: this is what moves them.
  refuseEarly: refuseInTheDark,
  wants: nothing,
  refuse: refuseStoppedPayer,
  count: nothing,
  store: nothing,
  flow: { 'player>treasury': 'return', 'app>treasury': 'return', 'player>player': 'merge' },
} as const satisfies PaymentKind<'closing'>;
