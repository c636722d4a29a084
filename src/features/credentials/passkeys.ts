import type { UserId } from '../../base/ids.ts';
import { type PageReason, Problem } from '../../base/problems.ts';
import { newSecret } from '../../base/secrets.ts';
import type { Tx } from '../../db/database.ts';
import { endOperatorWithoutPasskey, holdOperator } from '../../identity/operators.ts';
import {
  deletePasskey,
  deletePasskeysOf,
  findStoppablePasskey,
  insertPasskey,
  isPasskeyId,
  listPasskeys,
  MAX_PASSKEYS,
  type NewPasskey,
  newChallenge,
  type PasskeyUse,
  takeChallenge,
} from '../../identity/passkeys.ts';
import { findUser, lockUsers, type User } from '../../identity/users.ts';
import { endSessionsOf, holdSession, type Session } from '../../oauth/sessions.ts';
import type { LoggedAction } from '../../operator-log/logged-actions.ts';
import { recordChange } from '../../operator-log/record.ts';
import type { Service } from '../../service/service.ts';
import { accountFrozen, isFrozen, refuseWhileFrozen } from '../../service/stopped.ts';
import { countAttempt, limitsOfClient } from '../attempts/throttle.ts';
import type { WriteMail } from '../mails/mail-layout.ts';
import { queueMail, queueWarning } from '../mails/mails.ts';
import { nameInMail } from '../mails/name-in-mail.ts';
import { ceremonies, useIn } from './passkey-use.ts';

/** Where a mailed link removes a new passkey. */
export const STOP_PASSKEY_PATH = '/passkeys/stop';

/** Whose passkey it will be, as the browser shows it. */
type NewOwner = Pick<User, 'id' | 'email' | 'displayName'>;

/** The first passkey of somebody who makes their account full with it. Nobody is signed in. */
export function firstPasskeyOf({ id, email }: Pick<User, 'id' | 'email'>): PasskeyUse {
  return { act: 'first-passkey', by: id, session: null, values: [email] };
}

/** The options for a first passkey. `client`: the address of the visitor. */
export async function offerFirstPasskey(service: Service, user: NewOwner, client: string) {
  await countAttempt(service, 'passkey', limitsOfClient(client, 100, 15));
  return offerPasskey(service, user, firstPasskeyOf(user));
}

/** The options with which the browser creates a passkey. */
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

/** Stores the passkey that the browser created and informs its owner by mail; otherwise returns the reason. */
export async function addPasskey(
  service: Service,
  user: User,
  session: Session,
  { name, answer }: { name: string; answer: object },
): Promise<PageReason | null> {
  const { db, security } = service;
  const passkey = await checkNewPasskey(service, answer, useIn(session, 'new-passkey', name));
  if ('code' in passkey) return passkey;
  const stopToken = newSecret('stop link');
  const fault = await db.transaction<PageReason | null>(async (tx) => {
    const missing = await missingProof(tx, session);
    if (missing) return missing;
    if (!(await insertPasskey(tx, { ...passkey, userId: user.id, name, stopToken }))) return PASSKEY_NOT_ADDED;
    await record(tx, 'passkey-added', user.id);
    await holdSession(tx, session);
    await refuseWhileFrozen(tx, service, user.id);
    await queueWarning(service, tx, user, addedMail(service, name, stopToken));
    return null;
  });
  if (fault === null) security.note('passkey-added', { userId: user.id });
  return fault;
}

/** Whether a password alone has opened the session. Somebody who has found it out must not make themselves a passkey with it. */
export function isByPasswordAlone({ methods }: Pick<Session, 'methods'>): boolean {
  return !methods.includes('hwk') && !methods.includes('otp');
}

/**
 * What this session has to prove before it adds a passkey; null: nothing. A passkey or a mailed code must have been part of it. An operator's
 * must have been opened with a passkey, which the role asks for. Locks the user, so that they do not get the role meanwhile.
 */
export async function missingProof(tx: Tx, session: Session): Promise<PageReason | null> {
  const { userId, methods } = session;
  await lockUsers(tx, [userId]);
  if (!methods.includes('hwk') && (await holdOperator(tx, userId))) return { code: 'passkey-needed' };
  return isByPasswordAlone(session) ? { code: 'code-needed' } : null;
}

/**
 * Removes a passkey, so that nobody can sign in with it, and informs its owner by mail. Throws `not-found` if it is not
 * the user's. An operator who removes their last one loses the role.
 */
export async function removePasskey(service: Service, user: User, session: Session, id: string): Promise<void> {
  const removed = await service.db.transaction(async (tx) => {
    const removed = await removeOne(service, tx, user, id);
    if (removed === null) throw new Problem('not-found', 'There is no such passkey.');
    await holdSession(tx, session);
    return removed;
  });
  noteRemoved(service, user.id, removed);
}

type Removed = { readonly isDemoted: boolean };

/** Null if the user has no such passkey. */
async function removeOne(service: Service, tx: Tx, { id: userId, email }: User, id: string): Promise<Removed | null> {
  await lockUsers(tx, [userId]);
  const name = isPasskeyId(id) ? await deletePasskey(tx, userId, id) : null;
  if (name === null) return null;
  await record(tx, 'passkey-removed', userId);
  const isDemoted = await endOperatorWithoutPasskey(tx, userId);
  if (isDemoted) await record(tx, 'operator-removed', userId);
  await queueMail(service, tx, { to: email, write: removedMail(service, name) });
  return { isDemoted };
}

function noteRemoved({ security }: Service, userId: UserId, { isDemoted }: Removed): void {
  security.note('passkey-removed', { userId });
  if (isDemoted) security.note('operator-removed', { userId });
}

/** The name of the passkey that a mailed link would remove, for the page that asks. Null: it is gone, or the link is too old. */
export async function readStopPasskeyLink({ db }: Pick<Service, 'db'>, stopToken: string): Promise<string | null> {
  return (await findStoppablePasskey(db, stopToken))?.name ?? null;
}

/**
 * Removes a passkey by its mailed link, and signs its user out everywhere: whoever has added it is signed in. The holder of the link need not
 * be. False if the passkey is gone, or the link is too old.
 */
export async function stopPasskeyByLink(service: Service, stopToken: string): Promise<boolean> {
  const stopped = await service.db.transaction(async (tx) => {
    const found = await findStoppablePasskey(tx, stopToken);
    const user = found && (await findUser(tx, found.userId));
    const removed = found && user && (await removeOne(service, tx, user, found.id));
    if (!removed) return null;
    await endSessionsOf(tx, user.id);
    return { userId: user.id, removed };
  });
  if (stopped) noteRemoved(service, stopped.userId, stopped.removed);
  return stopped !== null;
}

/**
 * Removes all of a person's passkeys and ends their other sessions, because one of them may have been opened with a
 * passkey a moment ago. Informs the owner by mail. Does nothing if there are none. An operator loses the role.
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

function addedMail({ publicUrl, settings }: Sender, name: string, stopToken: string): WriteMail {
  return ({ mails }) => ({
    subject: mails.passkeys.added,
    parts: [
      mails.passkeys.addedTo(nameInMail(name), settings.brandName),
      mails.passkeys.remove,
      { link: `${publicUrl}${STOP_PASSKEY_PATH}?token=${stopToken}`, label: mails.passkeys.removeLink },
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
