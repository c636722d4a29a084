import type { UserId } from '../../base/ids.ts';
import { type PageReason, Problem } from '../../base/problems.ts';
import type { Tx } from '../../db/database.ts';
import { endOperatorWithoutPasskey, holdOperator } from '../../identity/operators.ts';
import {
  deletePasskey,
  deletePasskeysOf,
  findPasskey,
  insertPasskey,
  isPasskeyId,
  listPasskeys,
  MAX_PASSKEYS,
  type NewPasskey,
  newChallenge,
  type PasskeyUse,
  takeChallenge,
  usePasskey,
} from '../../identity/passkeys.ts';
import { findUser, lockUsers, type User } from '../../identity/users.ts';
import { type AuthMethod, endSessionsOf, holdSession, type Session } from '../../oauth/sessions.ts';
import type { LoggedAction } from '../../operator-log/logged-actions.ts';
import { recordChange } from '../../operator-log/record.ts';
import type { Service } from '../../service/service.ts';
import { accountFrozen, isFrozen, refuseWhileFrozen } from '../../service/stopped.ts';
import { countAttempt, fromPlace } from '../attempts/throttle.ts';
import type { WriteMail } from '../mails/mail-layout.ts';
import { queueMail } from '../mails/mails.ts';
import { nameInMail } from '../mails/name-in-mail.ts';
import { noteSignIn, openSession } from '../sessions/sign-in.ts';

/** Loaded on first use: the library takes long to load, and most processes never need it. */
const ceremonies = () => import('../../identity/passkey-ceremonies.ts');

/** The passkey that signed, its user, and its counter after this use. */
export type PasskeyProof = { readonly id: string; readonly userId: UserId; readonly signCount: number };

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
  return signCount === null ? null : { id: passkey.id, userId: passkey.userId, signCount };
}

/** Whose passkey it will be, as the browser shows it. */
type NewOwner = Pick<User, 'id' | 'email' | 'displayName'>;

/** The first passkey of somebody who makes their account full with it. Nobody is signed in. */
export function firstPasskeyOf({ id, email }: Pick<User, 'id' | 'email'>): PasskeyUse {
  return { act: 'first-passkey', by: id, session: null, values: [email] };
}

/** The options for a first passkey. Throws `account-frozen`, `too-many-tries`. `client`: the address of the visitor. */
export async function offerFirstPasskey(service: Service, user: NewOwner, client: string) {
  await countAttempt(service, 'passkey', fromPlace(client, 100, 15));
  return offerPasskey(service, user, firstPasskeyOf(user));
}

/** The options with which the browser creates a passkey. Throws `account-frozen`. */
export async function offerPasskey(service: Service, user: NewOwner, use: PasskeyUse) {
  const { db, publicUrl, settings } = service;
  if (await isFrozen(service, user.id)) throw accountFrozen(settings);
  const { creationOptions } = await ceremonies();
  return creationOptions(publicUrl, await newChallenge(db, use), user, await listPasskeys(db, user.id));
}

/** There is one already, or there are too many. */
export const PASSKEY_NOT_ADDED: PageReason = { code: 'passkey-not-added', number: MAX_PASSKEYS };

/** The passkey that the browser of this user created, or why there is none. It spends the challenge. */
export async function checkNewPasskey(
  { db, publicUrl }: Pick<Service, 'db' | 'publicUrl'>,
  answer: object,
  use: PasskeyUse,
): Promise<NewPasskey | PageReason> {
  const { challengeOf, verifyCreation } = await ceremonies();
  const challenge = challengeOf(answer);
  if (challenge === null || !(await takeChallenge(db, challenge, use))) return { code: 'passkey-late' };
  return (await verifyCreation(publicUrl, answer, challenge)) ?? { code: 'passkey-unverified' };
}

/**
 * Stores the passkey that the browser created and informs its owner by mail; otherwise returns the reason. Throws
 * `token-expired`, `account-frozen`.
 */
export async function addPasskey(
  service: Service,
  user: User,
  session: Session,
  { name, answer }: { name: string; answer: object },
): Promise<PageReason | null> {
  const { db, security } = service;
  const passkey = await checkNewPasskey(service, answer, useIn(session, 'new-passkey', name));
  if ('code' in passkey) return passkey;
  const fault = await db.transaction<PageReason | null>(async (tx) => {
    if (!(await mayAddPasskey(tx, session))) return { code: 'passkey-needed' };
    if (!(await insertPasskey(tx, { ...passkey, userId: user.id, name }))) return PASSKEY_NOT_ADDED;
    await record(tx, 'passkey-added', user.id);
    await holdSession(tx, session);
    await refuseWhileFrozen(tx, service, user.id);
    await queueMail(service, tx, { to: user.email, write: addedMail(service, name) });
    return null;
  });
  if (fault === null) security.note('passkey-added', { userId: user.id });
  return fault;
}

/**
 * Whether this session may add a passkey. An operator's must have been opened with one: the role asks for a passkey, which somebody with
 * the operator's password could otherwise make. Locks the user, so that they do not get the role meanwhile.
 */
export async function mayAddPasskey(tx: Tx, { userId, methods }: Session): Promise<boolean> {
  await lockUsers(tx, [userId]);
  return methods.includes('hwk') || !(await holdOperator(tx, userId));
}

/**
 * Removes a passkey, so that nobody can sign in with it, and informs its owner by mail. Throws `not-found` if it is not
 * the user's, and `token-expired`. An operator who removes their last one loses the role.
 */
export async function removePasskey(service: Service, user: User, session: Session, id: string): Promise<void> {
  const demoted = await service.db.transaction(async (tx) => {
    await lockUsers(tx, [user.id]);
    const name = isPasskeyId(id) ? await deletePasskey(tx, user.id, id) : null;
    if (name === null) throw new Problem('not-found', 'There is no such passkey.');
    await record(tx, 'passkey-removed', user.id);
    const demoted = await endOperatorWithoutPasskey(tx, user.id);
    if (demoted) await record(tx, 'operator-removed', user.id);
    await holdSession(tx, session);
    await queueMail(service, tx, { to: user.email, write: removedMail(service, name) });
    return demoted;
  });
  service.security.note('passkey-removed', { userId: user.id });
  if (demoted) service.security.note('operator-removed', { userId: user.id });
}

/**
 * Removes all of a person's passkeys and ends their other sessions, because one of them may have been opened with a
 * passkey a moment ago. Informs the owner by mail. Does nothing if there are none. An operator loses the role. Throws `token-expired`.
 */
export async function removePasskeys(service: Service, user: User, session: Session): Promise<void> {
  const { db, security } = service;
  const { removed, demoted } = await db.transaction(async (tx) => {
    const removed = await deletePasskeysOf(tx, user.id);
    if (removed.length === 0) return { removed, demoted: false };
    await record(tx, 'passkeys-removed', user.id);
    const demoted = await endOperatorWithoutPasskey(tx, user.id);
    if (demoted) await record(tx, 'operator-removed', user.id);
    // A concurrent sign-in with one of them holds its row, so its session exists by now and ends here.
    await endSessionsOf(tx, user.id, session.uid);
    await holdSession(tx, session);
    await queueMail(service, tx, { to: user.email, write: allRemovedMail(service, removed) });
    return { removed, demoted };
  });
  if (removed.length > 0) security.note('passkeys-removed', { userId: user.id, what: removed.length });
  if (demoted) security.note('operator-removed', { userId: user.id });
}

function record(tx: Tx, action: LoggedAction, id: UserId): Promise<void> {
  return recordChange(tx, { action, subject: { kind: 'user', id }, by: id });
}

type Sender = Pick<Service, 'publicUrl' | 'settings'>;

function addedMail({ publicUrl, settings }: Sender, name: string): WriteMail {
  return ({ mails }) => ({
    subject: mails.passkeys.added,
    parts: [
      mails.passkeys.addedTo(nameInMail(name), settings.brandName),
      mails.passkeys.remove,
      { link: `${publicUrl}/account/passkeys`, label: mails.passkeys.removeLink },
    ],
  });
}

function removedMail({ publicUrl, settings }: Sender, name: string): WriteMail {
  return ({ mails }) => ({
    subject: mails.passkeys.removed,
    parts: [
      mails.passkeys.removedFrom(nameInMail(name), settings.brandName),
      mails.notYou,
      { link: `${publicUrl}/forgot`, label: mails.setPassword },
    ],
  });
}

function allRemovedMail({ publicUrl, settings }: Sender, names: readonly string[]): WriteMail {
  return ({ mails }) => ({
    subject: mails.passkeys.allRemoved,
    parts: [
      mails.passkeys.allRemovedFrom(settings.brandName),
      { lines: names.map((name) => mails.passkeys.name(nameInMail(name))) },
      mails.notYou,
      { link: `${publicUrl}/forgot`, label: mails.setPassword },
    ],
  });
}

const METHODS: readonly AuthMethod[] = ['hwk'];

/** Somebody signs in, or one user confirms in their session (`again`) who they are. */
export function signInUse(again: Session | null): PasskeyUse {
  return again ? useIn(again, 'sign-in-again') : { act: 'sign-in', by: null, session: null, values: [] };
}

/** What the browser has to sign. `client`: the address of the visitor. Throws `too-many-tries`. */
export async function offerPasskeyUse(service: Service, use: PasskeyUse, client: string) {
  await countAttempt(service, 'passkey', fromPlace(client, 100, 15));
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
