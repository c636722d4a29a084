import type { Tx } from '../../db/database.ts';
import { lockAppCount } from '../../identity/apps.ts';
import { revokeGuestTokens } from '../../identity/guest-tokens.ts';
import { eraseCredentials } from '../../identity/leaving.ts';
import { revokeStandingApprovalsOf } from '../../identity/mandates.ts';
import { closeUser, type User } from '../../identity/users.ts';
import { closeAccountOfUser } from '../../ledger/closed-accounts.ts';
import { deleteRecordsOfUser } from '../../oauth/records.ts';
import { holdSession, type Session } from '../../oauth/sessions.ts';
import { findPendingRequestsOfUser } from '../../requests/requests.ts';
import type { Service } from '../../settlement/service.ts';
import { moveRequests } from '../../settlement/transition-requests.ts';
import { queueMail } from '../mails/queue-mail.ts';
import { sweepClosed } from './sweep-closed.ts';

/**
 * Closes a person's account for good: nobody can sign in, no app can act for it, and no personal data is left. Its
 * quarters go back to the treasury; if the process dies in between, a background loop sends them. Payments approved
 * earlier still happen.
 *
 * Returns false without effect if the account is not as the person saw it: already closed, with another e-mail address,
 * or the owner of apps. Throws `token-expired`.
 */
export async function closeAccount(service: Service, user: User, session: Session): Promise<boolean> {
  const closed = await service.db.transaction(async (tx) => {
    if ((await lockAppCount(tx, user.id)) !== 0 || !(await closeUser(tx, user.id, user.email))) return false;
    await endEverything(tx, user, session);
    await queueMail(service, tx, { to: user.email, ...GOODBYE });
    return true;
  });
  if (closed) {
    service.security.note('account-closed', { userId: user.id });
    await sweepClosed(service).catch((error: unknown) =>
      service.log.warn({ reason: (error as Error).message }, 'quarters of a closed account are returned later'),
    );
  }
  return closed;
}

/** Locks rows in the documented order: requests, mandates, accounts. */
async function endEverything(tx: Tx, { id }: User, session: Session): Promise<void> {
  await moveRequests(tx, await findPendingRequestsOfUser(tx, id), 'cancel', `user:${id}`);
  await revokeStandingApprovalsOf(tx, id);
  await eraseCredentials(tx, id);
  await revokeGuestTokens(tx, id);
  await holdSession(tx, session);
  await deleteRecordsOfUser(tx, id);
  await closeAccountOfUser(tx, id);
}

const GOODBYE = {
  subject: 'Your account is closed',
  text: `We closed your Quarters account, as you asked. You can use this address for a new one.

This is our last e-mail about the account.
`,
};
