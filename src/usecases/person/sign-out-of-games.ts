import { revokeConsentsOf } from '../../identity/consents.ts';
import { revokeStandingApprovalsOf } from '../../identity/standing-approvals.ts';
import { deleteGrantsOfUser } from '../../oauth/records.ts';
import { holdSession, type Session } from '../../oauth/sessions.ts';
import type { Service } from '../service.ts';

/**
 * Takes all that all apps may do for a person away at once: spending limits, agreements, codes and tokens. The agreements too, as whoever
 * had the account may have agreed to something: each app asks again. What was paid stays paid. Throws `token-expired`.
 */
export async function signOutOfGames(
  { db, security }: Pick<Service, 'db' | 'security'>,
  session: Session,
): Promise<void> {
  const { userId } = session;
  await db.transaction(async (tx) => {
    await revokeStandingApprovalsOf(tx, userId);
    await revokeConsentsOf(tx, userId);
    await deleteGrantsOfUser(tx, userId);
    await holdSession(tx, session);
  });
  security.note('games-signed-out', { userId });
}
