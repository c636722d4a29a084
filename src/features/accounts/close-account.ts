import { newTransferId, transferIdFrom, type UserId } from '../../base/ids.ts';
import { Problem, type ProblemCode } from '../../base/problems.ts';
import type { Tx } from '../../db/database.ts';
import { deleteInvitationsAround } from '../../identity/app-invitations.ts';
import { deleteMembershipsOf } from '../../identity/app-members.ts';
import { type App, listAppsOf, lockAppCount } from '../../identity/apps.ts';
import { revokeGuestTokens } from '../../identity/guest-tokens.ts';
import { revokeMandatesOf } from '../../identity/mandates.ts';
import { holdOperator } from '../../identity/operators.ts';
import { closeUser, eraseCredentials, type User } from '../../identity/users.ts';
import { findAccounts, findTreasury } from '../../ledger/accounts.ts';
import { accountsToEmpty, closeAccountOfUser, unmarkEmptied } from '../../ledger/closed-accounts.ts';
import { endRewards } from '../../ledger/rewards.ts';
import { deleteRecordsOfUser } from '../../oauth/records.ts';
import { holdSession, type Session } from '../../oauth/sessions.ts';
import { eraseReasonsAbout, subjectsOfKind } from '../../operator-actions/operator-actions.ts';
import { forgetNamesOf } from '../../operator-log/names.ts';
import { recordChange } from '../../operator-log/record.ts';
import { listReportsOf } from '../../requests/reports.ts';
import { findPendingRequestsOfUser } from '../../requests/requests.ts';
import { loadAll } from '../../service/house.ts';
import { ACCOUNT_CLOSED, type EraseUser } from '../../service/moments.ts';
import type { Service } from '../../service/service.ts';
import { accountFrozen } from '../../service/stopped.ts';
import { refuseInTheDark } from '../../settlement/may-act.ts';
import { findTransfers } from '../../settlement/tables/transfers.ts';
import { transitionRequests } from '../../settlement/transition-requests.ts';
import { readWallet, type Wallet } from '../../views/accounts/read-account.ts';
import type { WriteMail } from '../mails/mail-layout.ts';
import { queueMail } from '../mails/mails.ts';

/** What a person should know before closing their account. */
export type AccountClosure = {
  readonly wallet: Wallet;
  /** Apps that they own; as long as there are any, the account cannot be closed. */
  readonly apps: readonly App[];
};

export async function prepareClosure({ db }: Pick<Service, 'db'>, user: User): Promise<AccountClosure> {
  const [wallet, apps] = await Promise.all([readWallet({ db }, user), listAppsOf(db, user.id)]);
  return { wallet, apps };
}

/**
 * Closes a person's account for good: nobody can sign in, no app can act for it, and no personal data is left. Its
 * quarters go back to the treasury; if the process dies in between, a background loop sends them. Payments approved
 * earlier still happen.
 *
 * Returns false without effect if the account is not as the person saw it: already closed, with another e-mail address,
 * or the owner of apps.
 */
export async function closeAccount(service: Service, user: User, session: Session): Promise<boolean> {
  refuseInTheDark(service);
  const erasing = await loadAll(service.house, ACCOUNT_CLOSED);
  const closed = await service.db.transaction(async (tx) => {
    if ((await lockAppCount(tx, user.id)) !== 0 || !(await closeUser(tx, user.id, user.email))) return false;
    const wasOperator = await holdOperator(tx, user.id);
    await endEverything(tx, user, session, erasing);
    if (!(await closeAccountOfUser(tx, user.id))) throw accountFrozen(service.settings);
    await queueMail(service, tx, { to: user.email, locale: user.locale, write: closedMail(service) });
    const subject = { kind: 'user', id: user.id } as const;
    if (wasOperator) await recordChange(tx, { action: 'operator-removed', subject, by: user.id });
    await recordChange(tx, { action: 'account-closed', subject, by: user.id });
    // The entries stay, and name nobody from now on.
    await forgetNamesOf(tx, [user.id]);
    await eraseReasonsAbout(tx, await subjectsAbout(tx, user.id));
    return true;
  });
  if (closed) {
    service.security.note('account-closed', { userId: user.id });
    await emptyClosedAccounts(service).catch((error: unknown) =>
      service.log.warn({ reason: (error as Error).message }, 'quarters of a closed account are returned later'),
    );
  }
  return closed;
}

/** Locks rows in the documented order: app members, requests, mandates and so on. The account comes last. */
async function endEverything(
  tx: Tx,
  { id, email }: User,
  session: Session,
  erasing: readonly EraseUser[],
): Promise<void> {
  await deleteMembershipsOf(tx, id);
  await deleteInvitationsAround(tx, id, email);
  await transitionRequests(tx, await findPendingRequestsOfUser(tx, id), 'cancel', `user:${id}`);
  await revokeMandatesOf(tx, id);
  await eraseCredentials(tx, id);
  await revokeGuestTokens(tx, id);
  for (const erase of erasing) await erase(tx, id);
  await holdSession(tx, session);
  await deleteRecordsOfUser(tx, id);
}

/** More than anybody reports. */
const MOST_REPORTS = 10_000;

/** What operators' actions about a user concern: the user, their reports, and transfers of theirs that were cancelled. */
async function subjectsAbout(tx: Tx, userId: UserId): Promise<string[]> {
  const subjects = await subjectsOfKind(tx, 'cancel-transfer');
  const cancelled = subjects.flatMap((subject) => transferIdFrom(subject.slice('transfer:'.length)) ?? []);
  const [reports, transfers, [account]] = await Promise.all([
    listReportsOf(tx, userId, MOST_REPORTS),
    findTransfers(tx, cancelled),
    findAccounts(tx, { users: [userId] }),
  ]);
  const own = transfers.filter(({ from, to }) => from === account?.address || to === account?.address);
  return [`user:${userId}`, ...reports.map(({ id }) => `report:${id}`), ...own.map(({ id }) => `transfer:${id}`)];
}

function closedMail({ settings }: Pick<Service, 'settings'>): WriteMail {
  return ({ mails: { closed } }) => ({
    subject: closed.subject,
    parts: [closed.asked(settings.brandName), closed.last],
  });
}

/** The most accounts of each kind that are emptied in one round. */
const MOST = 100;
/** The same while payments wait for it. Finding the largest takes longer than accepting a few. */
const MOST_MOVING = 1_000;

const NOTHING_FREE: ReadonlySet<ProblemCode> = new Set(['insufficient-quarters', 'quarters-unconfirmed']);

/**
 * Sends on what closed accounts have, what they held at closing and what reaches them later: a merged guest's to the player's account, that of
 * an address that was left to the new one, all else to the treasury. Ends their rewards; guests never have any. Only accounts that may have
 * received something since the last round are checked. Two processes may see the same quarters, but the second transfer is refused because they are held already.
 *
 * Returns true if there may be more to do at once.
 */
export async function emptyClosedAccounts(service: Pick<Service, 'db' | 'accept' | 'readiness'>): Promise<boolean> {
  const most = service.readiness.moving ? MOST_MOVING : MOST;
  const due = await accountsToEmpty(service.db, most);
  if (due.length === 0) return false;
  const addresses = due.map(({ address }) => address);
  const { address: treasury } = await findTreasury(service.db);
  const ended = await service.db.transaction((tx) => endRewards(tx, treasury, addresses, most));
  await service.db.transaction((tx) => unmarkEmptied(tx, addresses));
  const full = due.filter(({ free }) => free > 0n);
  const sent = await Promise.all(
    full.map(({ address: from, free: amount, mergedInto }) => {
      const to = mergedInto ?? treasury;
      const instruction = { transferId: newTransferId(), from, to, amount, origin: { kind: 'closing' } } as const;
      return service.accept(instruction).then(() => 'sent', reasonToWait);
    }),
  );
  if (sent.includes('overloaded')) return false;
  return due.length >= most || ended === most;
}

/**
 * Why it was not sent. Another process has just emptied it. Or a reorganisation took it back, and it is sent once it is there again. Or as many
 * transfers are on their way as may be (`overloaded`).
 */
function reasonToWait(error: unknown): ProblemCode {
  if (!(error instanceof Problem) || !(NOTHING_FREE.has(error.code) || error.code === 'overloaded')) throw error;
  return error.code;
}
