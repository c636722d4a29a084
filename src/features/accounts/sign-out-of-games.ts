import { revokeConsentsOf } from '../../identity/consents.ts';
import { revokeStandingApprovalsOf } from '../../identity/mandates.ts';
import { deleteGrantsOfUser } from '../../oauth/records.ts';
import { holdSession, type Session } from '../../oauth/sessions.ts';
import type { Service } from '../../settlement/service.ts';

/**
 * Ends everything that apps may do for a person at once: mandates, consents, codes and tokens. Consents too, because
 * somebody else with access to the account may have given them; each app asks again. Earlier payments stay paid. Throws
 * `token-expired`.
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
