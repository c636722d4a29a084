import type { UserId } from '../../base/ids.ts';
import {
  findPasskey,
  isPasskeyId,
  listPasskeys,
  newChallenge,
  type Passkey,
  type PasskeyUse,
  takeChallenge,
  usePasskey,
} from '../../identity/passkeys.ts';
import { findUser } from '../../identity/users.ts';
import type { AuthMethod, Session } from '../../oauth/sessions.ts';
import type { Service } from '../../service/service.ts';
import { countAttempt, limitsOfClient } from '../attempts/throttle.ts';
import { noteSignIn, openSession } from '../sessions/sign-in.ts';

/** Loaded on first use: the library takes long to load, and most processes never need it. */
export const ceremonies = () => import('../../identity/passkey-ceremonies.ts');

/** The passkey that signed, its user, since when they have it, and its counter after this use. */
export type PasskeyProof = Pick<Passkey, 'id' | 'userId' | 'createdAt' | 'signCount'>;

/** What somebody who is signed in does. `values`: what the form says, as it was sent. */
export function useIn({ userId, uid }: Session, act: PasskeyUse['act'], ...values: readonly string[]): PasskeyUse {
  return { act, by: userId, session: uid, values };
}

/**
 * What an answer proves; null if it does not hold, was asked for another use, was used before, or is from somebody else's passkey. It spends
 * the challenge. The proof counts when `usePasskey` takes it, in the transaction it is for.
 */
export async function checkPasskeyAnswer(
  { db, publicUrl }: Pick<Service, 'db' | 'publicUrl'>,
  answer: object,
  use: PasskeyUse,
): Promise<PasskeyProof | null> {
  const { challengeOf, verifyUse } = await ceremonies();
  const challenge = challengeOf(answer);
  if (challenge === null || !(await takeChallenge(db, challenge, use))) return null;
  const { id } = answer as { id?: unknown };
  const passkey = isPasskeyId(id) ? await findPasskey(db, id) : null;
  if (!passkey || (use.by !== null && passkey.userId !== use.by)) return null;
  const signCount = await verifyUse(publicUrl, answer, passkey, challenge);
  return signCount === null ? null : { ...passkey, signCount };
}

const METHODS: readonly AuthMethod[] = ['hwk'];

/** Somebody signs in, or one user confirms in their session (`again`) who they are. */
export function signInUse(again: Session | null): PasskeyUse {
  return again ? useIn(again, 'sign-in-again') : { act: 'sign-in', by: null, session: null, values: [] };
}

/** What the browser has to sign. `client`: the address of the visitor. */
export async function offerPasskeyUse(service: Service, use: PasskeyUse, client: string) {
  await countAttempt(service, 'passkey', limitsOfClient(client, 100, 15));
  const { db, publicUrl } = service;
  const allowed = use.by ? await listPasskeys(db, use.by) : [];
  const { requestOptions } = await ceremonies();
  return requestOptions(publicUrl, await newChallenge(db, use), allowed);
}

/** `again`: the session of the user who confirms who they are. `former`: the cookie's earlier value; `browser`: browser and system, in words. */
type Arriving = {
  readonly again: Session | null;
  readonly former: string | undefined;
  readonly browser?: string | null;
};

/**
 * Signs in the holder of a passkey and returns the session cookie's value. Null if the answer does not hold, was used
 * before, or the passkey was removed.
 */
export async function signInWithPasskey(service: Service, answer: object, who: Arriving): Promise<string | null> {
  const opened = await openByPasskey(service, answer, who);
  if (opened) noteSignIn(service, opened.userId, METHODS);
  else service.security.note('sign-in-failed', { userId: who.again?.userId, what: 'passkey' });
  return opened?.session ?? null;
}

async function openByPasskey(
  service: Service,
  answer: object,
  { again, former, browser = null }: Arriving,
): Promise<{ readonly userId: UserId; readonly session: string } | null> {
  const proof = await checkPasskeyAnswer(service, answer, signInUse(again));
  if (!proof) return null;
  return service.db.transaction(async (tx) => {
    const user = await findUser(tx, proof.userId);
    if (user?.kind !== 'full' || !(await usePasskey(tx, proof.id, proof.signCount))) return null;
    const session = await openSession(tx, { userId: user.id, methods: METHODS, former, browser });
    return { userId: user.id, session };
  });
}
