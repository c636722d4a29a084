import { refuseWhileSuspended } from '../../may-act.ts';
import { refuseKey, refuseLarge, refuseStoppedPayer } from '../refusals.ts';
import { none, nothing, type PaymentKind } from './kind.ts';

/** What an app pays of its own accord, as a payout or a refund: with a request that is made with it. */
export const paidByApp = {
  refuseEarly: refuseWhileSuspended,
  app: 'from',
  request: ({ request }) => request.id,
  makes: ({ request }) => request,
  rewarded: none,
  key: ({ keyHash, isCapped }) => keyHash && { hash: keyHash, cap: isCapped ? 'pay' : null },
} as const satisfies Partial<PaymentKind<'payout' | 'refund'>>;

/** An app pays a player. */
export const payout = {
  ...paidByApp,
  wants: ({ to }, wanted) => void wanted.paid.add(to),
  refuse: (instruction, rows, rules) =>
    refuseLarge(instruction, rules) ??
    refuseKey(paidByApp.key(instruction.origin), rows) ??
    refuseStoppedPayer(instruction, rows, rules),
  count: nothing,
  store: ({ origin }, written) => void written.requests.push(origin.request),
  name: ({ origin }) => ({ part: 'payment', id: origin.request.id }),
  tells: ({ request: { appId, userId } }) => ({ kind: 'payout', appId, userId }),
  flow: { 'app>player': 'payout' },
} as const satisfies PaymentKind<'payout'>;
