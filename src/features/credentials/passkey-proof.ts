import type { UserId } from '../../base/ids.ts';
import { takeChallenge } from '../../identity/passkey-challenges.ts';
import { findPasskey, isPasskeyId } from '../../identity/passkeys.ts';
import type { Service } from '../../settlement/service.ts';

/** Loaded on first use: the library takes long to load, and most processes never need it. */
export const ceremonies = () => import('../../identity/passkey-ceremonies.ts');

/** The passkey that signed, its user, and its counter after this use. */
export type PasskeyProof = { readonly id: string; readonly userId: UserId; readonly signCount: number };

/**
 * What an answer proves; null if it does not hold, was used before, or is not from this user's passkey (`userId` null:
 * anybody's). It spends the challenge. The proof counts when `usePasskey` takes it, in the transaction it is for.
 */
export async function checkPasskeyAnswer(
  { db, publicUrl }: Pick<Service, 'db' | 'publicUrl'>,
  answer: object,
  userId: UserId | null,
): Promise<PasskeyProof | null> {
  const { challengeOf, verifyUse } = await ceremonies();
  const challenge = challengeOf(answer);
  if (challenge === null || !(await takeChallenge(db, challenge, userId))) return null;
  const { id } = answer as { id?: unknown };
  const passkey = isPasskeyId(id) ? await findPasskey(db, id) : null;
  if (!passkey || (userId !== null && passkey.userId !== userId)) return null;
  const signCount = await verifyUse(publicUrl, answer, passkey, challenge);
  return signCount === null ? null : { id: passkey.id, userId: passkey.userId, signCount };
}
