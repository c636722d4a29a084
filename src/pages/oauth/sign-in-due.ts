import type { Interaction } from '../../oauth/interactions.ts';
import type { Session } from '../../oauth/sessions.ts';

/**
 * What this session lacks to answer the request (OpenID Connect Core, section 3.1.2.1): nothing, a sign-in, or another user who
 * is not signed in.
 */
export function signInDue(
  { reasons, params, sessionUid }: Interaction,
  session: Session,
): 'none' | 'sign-in' | 'another user' {
  // Every sign-in creates a new session.
  const signedInSince = session.uid !== sessionUid;
  if (reasons.includes('login_prompt') && !signedInSince) return 'sign-in';
  const seconds = (Date.now() - session.signedInAt.getTime()) / 1000;
  if (params.max_age !== undefined && seconds > Number(params.max_age)) return 'sign-in';
  if (params.id_token_hint !== undefined && hintedUser(params.id_token_hint) !== session.userId) {
    return signedInSince && sessionUid !== null ? 'another user' : 'sign-in';
  }
  return 'none';
}

/** The provider has verified the token. */
function hintedUser(idToken: string): unknown {
  return JSON.parse(Buffer.from(idToken.split('.')[1] ?? '', 'base64url').toString()).sub;
}
