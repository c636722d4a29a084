import type { AppId } from '../base/ids.ts';

/**
 * Why quarters moved. Each `Transfer` log of more than 0 quarters is of exactly one kind.
 *
 * - `mint`, `burn`: the supply changes.
 * - `issue`: the operator sent them from the treasury.
 * - `payment`: what players paid of their own. `reward`: what the treasury paid for them.
 * - `payout`, `refund`: an app paid a player.
 * - `deposit`: from an address that is not ours. `withdrawal`: a transfer of ours to such an address.
 * - `return`: a closed account's quarters went to the treasury. `merge`: a closed guest's went to the player's other account.
 * - `unexplained`: they left an account of ours without a transfer. Somebody else has its key.
 * - `outside`: between addresses that are not ours.
 */
export type FlowKind =
  | 'mint'
  | 'burn'
  | 'issue'
  | 'payment'
  | 'reward'
  | 'payout'
  | 'refund'
  | 'deposit'
  | 'withdrawal'
  | 'return'
  | 'merge'
  | 'unexplained'
  | 'outside';

/**
 * Who had the quarters before or afterwards. `none`: nobody, they were minted or burnt. `other-app`: another app than the flow's. A log from
 * one app to another is counted for both of them.
 */
export type Party = 'none' | 'treasury' | 'player' | 'app' | 'other-app' | 'outside';

/** Who a transfer is between. Nobody outside pays by a transfer of ours. */
export type Side = Extract<Party, 'treasury' | 'player' | 'app' | 'outside'>;
export type Way = `${Exclude<Side, 'outside'>}>${Side}`;

/** What a transfer of ours was for of which no request says it, by whom it is between. */
export type Purposes = Readonly<Record<Way, FlowKind>>;

/** Whether it is the second half of a log between two apps, which is counted for both. Sums over all apps leave it out. */
export const isSecondHalf = ({ from }: Pick<Flow, 'from'>): boolean => from === 'other-app';

/** Whether it counts as volume: it did not change the supply, and touched somebody here. */
export const isVolume = ({ kind }: Pick<Flow, 'kind'>): boolean =>
  kind !== 'mint' && kind !== 'burn' && kind !== 'outside';

/** Whether it came into players' hands. */
export const isSource = ({ from, to }: Pick<Flow, 'from' | 'to'>): boolean => to === 'player' && from !== 'player';

/** Whether it left players' hands. */
export const isSink = ({ from, to }: Pick<Flow, 'from' | 'to'>): boolean => from === 'player' && to !== 'player';

/** What moved between two kinds of parties in some hours. */
export type Flow = {
  readonly kind: FlowKind;
  readonly from: Party;
  readonly to: Party;
  /** The app that gave or got it; null if no app did. */
  readonly appId: AppId | null;
  /** Logs. A payment that a reward pays in part has two: one is a `payment`, one a `reward`. */
  readonly count: number;
  readonly amount: bigint;
};
