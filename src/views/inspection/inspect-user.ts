import { userIdFrom } from '../../base/ids.ts';
import { Problem } from '../../base/problems.ts';
import type { Quarters } from '../../base/quarters.ts';
import { type App, findApps } from '../../identity/apps.ts';
import { listPasskeys } from '../../identity/passkeys.ts';
import { seenDaysOf } from '../../identity/seen-players.ts';
import { readMilestones, type UserMilestones } from '../../identity/user-directory.ts';
import { findUser, type User } from '../../identity/users.ts';
import { listWithdrawalAddresses, type WithdrawalAddress } from '../../identity/withdrawal-addresses.ts';
import { type Account, lookUpAccountOfUser } from '../../ledger/accounts.ts';
import { newestRewardsOf, type Reward, unclaimedRewards } from '../../ledger/rewards.ts';
import { listSessionsOf } from '../../oauth/sessions.ts';
import { type KnownReport, listReportsOf } from '../../requests/reports.ts';
import type { Service } from '../../service/service.ts';
import { type Access, listAccess } from '../../views/accounts/list-access.ts';
import { type ActivityCursor, type ActivityPage, readActivity } from '../accounts/read-activity.ts';

/** How somebody can sign in, and since when; nothing with which another could. */
type SignInFacts = {
  readonly sessions: readonly { readonly signedInAt: Date; readonly usedAt: Date; readonly browser: string | null }[];
  readonly passkeys: readonly { readonly name: string; readonly createdAt: Date; readonly lastUsedAt: Date | null }[];
};

/** All that is known of a player. */
export type InspectedUser = {
  readonly user: User;
  readonly milestones: UserMilestones;
  /** The day (UTC) on which they were here last; null if it is not known. */
  readonly seenOn: string | null;
  /** The app that made them as a guest; null if they signed up themselves. */
  readonly guestOf: App | null;
  readonly account: Account | null;
  /** Granted and not spent yet. */
  readonly rewardsLeft: Quarters;
  /** The newest, at most 20. */
  readonly rewards: readonly Reward[];
  /** Apps with access or a spending limit. */
  readonly access: readonly Access[];
  readonly signIn: SignInFacts;
  readonly withdrawalAddresses: readonly WithdrawalAddress[];
  readonly activity: ActivityPage;
  /** The newest, at most 20. */
  readonly reports: readonly KnownReport[];
};

const PER_PAGE = 25;
const MOST_LISTED = 20;

/**
 * A player with a page of their activity, for an operator; also a guest, and what is left of a closed account. Recorded as a security
 * event. `id` may be unchecked input.
 */
export async function inspectUser(
  service: Pick<Service, 'db' | 'reads' | 'settings' | 'security'>,
  id: string,
  before?: ActivityCursor,
): Promise<InspectedUser> {
  const { reads, settings, security } = service;
  const userId = userIdFrom(id);
  const user = userId && (await findUser(reads, userId));
  if (!user) throw new Problem('not-found', `There is no user "${id}".`);
  security.note('personal-data-opened', { what: `user ${user.id}` });
  const [milestones, apps, account, rewardsLeft, rewards, access, sessions, passkeys, activity, reports, addresses] =
    await Promise.all([
      readMilestones(reads, user.id),
      findApps(reads, user.guestOf ? [user.guestOf] : []),
      lookUpAccountOfUser(reads, user.id),
      unclaimedRewards(reads, user.id),
      newestRewardsOf(reads, user.id, MOST_LISTED),
      listAccess(service, user),
      listSessionsOf(reads, user.id, settings.sessionIdleMinutes),
      listPasskeys(reads, user.id),
      readActivity(service, user, PER_PAGE, before),
      listReportsOf(reads, user.id, MOST_LISTED),
      listWithdrawalAddresses(reads, user.id),
    ]);
  return {
    ...{
      user,
      milestones,

      account,
      rewardsLeft,
      rewards,
      access,
      activity,
      reports,
      withdrawalAddresses: addresses,
    },
    seenOn: (await seenDaysOf(reads, [user.id])).get(user.id) ?? null,
    guestOf: user.guestOf ? (apps.get(user.guestOf) ?? null) : null,
    signIn: {
      sessions: sessions.map(({ signedInAt, usedAt, browser }) => ({ signedInAt, usedAt, browser })),
      passkeys: passkeys.map(({ name, createdAt, lastUsedAt }) => ({ name, createdAt, lastUsedAt })),
    },
  };
}
