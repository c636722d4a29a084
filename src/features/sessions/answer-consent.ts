import { grantConsent } from '../../identity/consents.ts';
import { parseScopes } from '../../identity/scopes.ts';
import { finishInteraction, type Interaction } from '../../oauth/interactions.ts';
import { holdSession, type Session } from '../../oauth/sessions.ts';
import type { Service } from '../../settlement/service.ts';

/**
 * Records whether somebody gives an app the access it asked for; returns the address that their browser goes to next.
 * Throws `token-expired`: consent lets the app's server ask the player for quarters, so a session ended in the meantime
 * cannot give it.
 */
export async function answerConsent(
  { db, security }: Pick<Service, 'db' | 'security'>,
  session: Session,
  { uid, appId, params }: Interaction,
  allowed: boolean,
): Promise<string> {
  if (!allowed) {
    const description = 'the user has not agreed';
    return finishInteraction(db, uid, session, { error: 'access_denied', description });
  }
  const { userId } = session;
  const next = await db.transaction(async (tx) => {
    await grantConsent(tx, { userId, appId, scopes: parseScopes(params.scope ?? '') });
    await holdSession(tx, session);
    return finishInteraction(tx, uid, session, { agreed: true });
  });
  security.note('access-granted', { userId, appId });
  return next;
}
