import { ZERO_ADDRESS } from '../../base/address.ts';
import type { FlowKind } from '../../economy/flows.ts';
import type { OwnedPosting } from '../../ledger/posting-pages.ts';
import type { RequestSource } from '../../requests/requests.ts';

/** `sweep`: to the new address of the same account. No figure counts it. */
export type PostingKind = FlowKind | 'sweep';

/**
 * What a posting was for, as the economy's figures count it. `transfer`: that it paid; null if nobody of ours made it. `source`: of the
 * transfer's request, if it has one.
 */
export function kindOfPosting(
  { from, to, fromKind, toKind, isMove }: Pick<OwnedPosting, 'from' | 'to' | 'fromKind' | 'toKind' | 'isMove'>,
  transfer: { readonly source: RequestSource | null } | null,
): PostingKind {
  if (from === ZERO_ADDRESS) return 'mint';
  if (to === ZERO_ADDRESS) return 'burn';
  if (fromKind === 'external') return toKind === 'external' ? 'outside' : 'deposit';
  if (!transfer) return 'unexplained';
  if (isMove) return 'sweep';
  if (transfer.source === 'user') return fromKind === 'treasury' ? 'reward' : 'payment';
  if (transfer.source) return transfer.source;
  if (fromKind === 'treasury') return 'issue';
  if (toKind === 'treasury') return 'return';
  if (toKind !== 'user' && toKind !== 'recovered') return 'withdrawal';
  // The requests of payouts that a restored database had lost are not known.
  return fromKind === 'app' ? 'payout' : 'merge';
}
