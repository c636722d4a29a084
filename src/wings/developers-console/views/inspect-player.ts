import type { Address } from '../../../base/address.ts';
import { type AppId, type UserId, userIdFrom } from '../../../base/ids.ts';
import { Problem } from '../../../base/problems.ts';
import type { Quarters } from '../../../base/quarters.ts';
import { SCOPES, type Scope } from '../../../identity/callers.ts';
import { findUser, type User } from '../../../identity/users.ts';
import { available, lookUpAccountOfUser } from '../../../ledger/accounts.ts';
import { newestRewardsFrom, type Reward } from '../../../ledger/rewards.ts';
import type { TransferRequest } from '../../../requests/requests.ts';
import type { Service } from '../../../service/service.ts';
import { type Access, listAccess } from '../../../views/accounts/list-access.ts';
import { type PaymentFilter, searchPayments } from '../../../views/payments/search-payments.ts';

/**
 * A player as one app may know them: by what they allow it, and by what moved between the two. Nothing of other apps. What needs a scope is
 * null without it.
 */
export type AppPlayer = {
  readonly id: UserId;
  readonly kind: User['kind'];
  /** The app made them as a guest, and holds their tokens. */
  readonly isOwnGuest: boolean;
  readonly displayName: string | null;
  readonly email: string | null;
  readonly address: Address | null;
  readonly canSpend: Quarters | null;
  /** What the player allows the app; null if nothing. */
  readonly consent: Access['consent'];
  /** The player's spending limit for the app; null if there is none. */
  readonly mandate: Access['mandate'];
  /** Those that payments to the app have earned, the newest, at most 20. */
  readonly rewards: readonly Reward[];
  /** What waits for the player's answer, newest first, at most 20. */
  readonly open: readonly TransferRequest[];
  /** The newest, at most 25. */
  readonly payments: readonly TransferRequest[];
};

const MOST_LISTED = 20;
const PER_PAGE = 25;
const ALL = { statuses: null, createdFrom: null, createdBefore: null } as const;

/**
 * A player of an app: a guest that it made, somebody who allows it something, or with whom something moved or was asked. For its developers.
 * `id` may be unchecked input. Throws `not-found`, also for everybody else's players.
 */
export async function inspectPlayer(
  service: Pick<Service, 'db' | 'reads' | 'settings'>,
  appId: AppId,
  id: string,
): Promise<AppPlayer> {
  const { reads } = service;
  const userId = userIdFrom(id);
  const user = userId && (await findUser(reads, userId));
  if (!user) throw noSuchPlayer();
  const listed = async (filter: Omit<PaymentFilter, 'userId'>, most: number) =>
    (await searchPayments({ reads }, appId, { ...filter, userId: user.id }, null, most)).requests;
  const [accesses, account, rewards, open, payments] = await Promise.all([
    listAccess(service, user),
    lookUpAccountOfUser(reads, user.id),
    newestRewardsFrom(reads, { userId: user.id, appId }, MOST_LISTED),
    listed({ ...ALL, statuses: ['pending'] }, MOST_LISTED),
    listed(ALL, PER_PAGE),
  ]);
  const access = accesses.find(({ app }) => app.id === appId);
  if (user.guestOf !== appId && !access?.consent && payments.length === 0) throw noSuchPlayer();
  const isOwnGuest = user.kind === 'guest' && user.guestOf === appId;
  const scopes: readonly Scope[] = isOwnGuest ? SCOPES : (access?.consent?.scopes ?? []);
  const may = (scope: Scope) => scopes.includes(scope);
  return {
    ...{ id: user.id, kind: user.kind, isOwnGuest, rewards, open, payments },
    displayName: may('profile') ? user.displayName : null,
    email: may('email') ? user.email || null : null,
    // Their payments name it, too.
    address: may('wallet') || payments.length > 0 ? (account?.address ?? null) : null,
    canSpend: may('wallet') && account ? available(account) : null,
    consent: access?.consent ?? null,
    mandate: access?.mandate ?? null,
  };
}

function noSuchPlayer(): Problem {
  return new Problem('not-found', 'There is no such player of this app.');
}
