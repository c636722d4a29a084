import type { AccountKind } from '../ledger/accounts.ts';
import type { FlowKind, Purposes, Side } from '../ledger/flows.ts';
import type { RequestSource } from '../requests/requests.ts';
import { PAYMENT_KINDS } from './accept/kinds.ts';

// What something was for is decided here alone. `economy/count-bite.ts` counts by the same table, in SQL.

/** `sweep`: to the new address of the same account. No figure counts it. */
export type Purpose = FlowKind | 'sweep';

/** What transfers were for that have no request: issues, and those of a restored database of which no request is known. */
export const PURPOSES: Purposes = {
  ...PAYMENT_KINDS.approval.flow,
  ...PAYMENT_KINDS.payout.flow,
  ...PAYMENT_KINDS.refund.flow,
  ...PAYMENT_KINDS.issue.flow,
  ...PAYMENT_KINDS.withdrawal.flow,
  ...PAYMENT_KINDS.closing.flow,
};

const SIDES: Readonly<Record<AccountKind, Side>> = {
  user: 'player',
  // Only players' accounts, and apps' that nobody has named yet.
  recovered: 'player',
  app: 'app',
  treasury: 'treasury',
  external: 'outside',
  // Its account is asked for instead.
  swept: 'outside',
};

/** Whose an account is, as far as it says what a payment was for. */
export const sideOf = (kind: AccountKind): Side => SIDES[kind];

/** Between whom something moved. `isMove`: to an address of the same account. */
export type Moved = { readonly from: Side | 'none'; readonly to: Side | 'none'; readonly isMove: boolean };

/** What a posting was for. `transfer`: that it paid; null if nobody of ours made it. `source`: of the transfer's request, if it has one. */
export function purposeOf(
  { from, to, isMove }: Moved,
  transfer: { readonly source: RequestSource | null } | null,
): Purpose {
  if (from === 'none') return 'mint';
  if (to === 'none') return 'burn';
  if (from === 'outside') return to === 'outside' ? 'outside' : 'deposit';
  if (!transfer) return 'unexplained';
  if (isMove) return 'sweep';
  if (transfer.source === 'user') return from === 'treasury' ? 'reward' : 'payment';
  return transfer.source ?? PURPOSES[`${from}>${to}`];
}
