import type { UserId } from '../../base/ids.ts';
import { refusedEntry } from '../../base/problems.ts';
import type { Tx } from '../../db/database.ts';
import { insertPasskey } from '../../identity/passkeys.ts';
import { requireGoodPassword } from '../../identity/password-rules.ts';
import { hashPassword, storePassword } from '../../identity/passwords.ts';
import type { AuthMethod } from '../../oauth/sessions.ts';
import { recordChange } from '../../operator-log/record.ts';
import type { Service } from '../../service/service.ts';
import { refuseWhileFrozen } from '../../service/stopped.ts';
import { countAttempt, limitsOfClient } from '../attempts/throttle.ts';
import { checkNewPasskey, firstPasskeyOf, PASSKEY_NOT_ADDED } from './passkeys.ts';

/** What opens an account from now on: a password, or the passkey that the browser made (`answer`). */
export type FirstCredential =
  | { readonly password: string; readonly passkey?: undefined }
  | { readonly passkey: { readonly name: string; readonly answer: object }; readonly password?: undefined };

type NewOwner = {
  readonly userId: UserId;
  readonly email: string;
  readonly displayName: string;
  /** The address of the visitor. */
  readonly client: string;
};

/** `store`: part of the transaction that makes the account full. `methods`: how the owner has proved who they are by then. */
export type CheckedCredential = {
  readonly methods: readonly AuthMethod[];
  readonly store: (tx: Tx) => Promise<void>;
};

/**
 * Checks what opens an account from now on. A passkey's challenge is spent by this. Throws `invalid-input`, whose fault points at
 * `/password` or at `/passkey`.
 */
export async function checkCredential(
  service: Service,
  owner: NewOwner,
  { password, passkey }: FirstCredential,
): Promise<CheckedCredential> {
  const { userId, client } = owner;
  if (passkey === undefined) await requireGoodPassword(password, owner);
  await countAttempt(service, 'sign-up', limitsOfClient(client, 30, 15));
  if (passkey === undefined) {
    const hash = await hashPassword(password, client);
    return { methods: ['otp', 'pwd'], store: (tx) => storePassword(tx, userId, hash) };
  }
  const made = await checkNewPasskey(service, passkey.answer, firstPasskeyOf({ id: userId, email: owner.email }));
  if ('code' in made) throw refusedEntry(['/passkey', made]);
  const store = async (tx: Tx) => {
    await refuseWhileFrozen(tx, service, userId);
    const stored = await insertPasskey(tx, { ...made, userId, name: passkey.name });
    if (!stored) throw refusedEntry(['/passkey', PASSKEY_NOT_ADDED]);
    await recordChange(tx, { action: 'passkey-added', subject: { kind: 'user', id: userId }, by: userId });
  };
  return { methods: ['otp'], store };
}
