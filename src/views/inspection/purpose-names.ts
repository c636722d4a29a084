import type { Purpose } from '../../settlement/purpose.ts';

/** What a posting was for, as operators read it. */
export const PURPOSE_NAMES: Readonly<Record<Purpose, string>> = {
  mint: 'Minted',
  burn: 'Burnt',
  issue: 'Issued by the operator',
  payment: 'Payment',
  reward: 'Reward spent',
  payout: 'Payout',
  refund: 'Refund',
  deposit: 'Deposit',
  withdrawal: 'Withdrawal',
  return: 'Returned from a closed account',
  merge: 'Moved from a merged guest',
  sweep: 'Moved to the account’s new address',
  unexplained: 'Unexplained',
  outside: 'Between addresses outside',
};
