import type { FlowKind } from '../../../ledger/flows.ts';

/** What statements and figures call each kind. */
export const FLOW_NAMES: Readonly<Record<FlowKind, string>> = {
  mint: 'Minted',
  burn: 'Burnt',
  issue: 'Issued',
  payment: 'Payments',
  reward: 'Rewards spent',
  payout: 'Payouts',
  refund: 'Refunds',
  deposit: 'Deposits',
  withdrawal: 'Withdrawals',
  return: 'Returned by closed accounts',
  merge: 'Moved from merged guests',
  unexplained: 'Unexplained',
  outside: 'Outside',
};
