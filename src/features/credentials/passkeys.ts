import type { UserId } from '../../base/ids.ts';
import { newChallenge } from '../../identity/passkey-challenges.ts';
import { listPasskeys, usePasskey } from '../../identity/passkeys.ts';
import { findUser } from '../../identity/users.ts';
import type { AuthMethod } from '../../oauth/sessions.ts';
import type { Service } from '../../settlement/service.ts';
import { noteSignIn, openSession } from '../sessions/open-session.ts';
import { countGuess, fromPlace } from './count-guess.ts';
import { ceremonies, checkPasskeyAnswer } from './passkey-proof.ts';

const METHODS: readonly AuthMethod[] = ['hwk'];

/** Who signs in: anybody (null), or one user who confirms their identity; and the address of the caller. */
type Asking = { readonly userId: UserId | null; readonly client: string };

/** What the browser has to sign. Throws `too-many-tries`. */
export async function offerPasskeySignIn(service: Service, { userId, client }: Asking) {
  await countGuess(service, 'passkey', fromPlace(client, 100, 15));
  const { db, publicUrl } = service;
  const allowed = userId ? await listPasskeys(db, userId) : [];
  const { requestOptions } = await ceremonies();
  return requestOptions(publicUrl, await newChallenge(db, userId), allowed);
}

/**
 * Signs in the holder of a passkey and returns the session cookie's value. Null if the answer does not hold, was used
 * before, or the passkey was removed. `former`: the cookie's earlier value; `browser`: browser and system, in words.
 */
export async function signInWithPasskey(
  service: Service,
  answer: object,
  who: Pick<Asking, 'userId'> & { readonly former: string | undefined; readonly browser?: string | null },
): Promise<string | null> {
  const opened = await openByPasskey(service, answer, who);
  if (opened) noteSignIn(service, opened.userId, METHODS);
  else service.security.note('sign-in-failed', { userId: who.userId ?? undefined, what: 'passkey' });
  return opened?.session ?? null;
}

async function openByPasskey(
  service: Service,
  answer: object,
  { userId, former, browser = null }: Parameters<typeof signInWithPasskey>[2],
): Promise<{ readonly userId: UserId; readonly session: string } | null> {
  const proof = await checkPasskeyAnswer(service, answer, userId);
  if (!proof) return null;
  return service.db.transaction(async (tx) => {
    const user = await findUser(tx, proof.userId);
    if (user?.kind !== 'full' || !(await usePasskey(tx, proof.id, proof.signCount))) return null;
    const session = await openSession(tx, { userId: user.id, methods: METHODS, former, browser });
    return { userId: user.id, session };
  });
}
