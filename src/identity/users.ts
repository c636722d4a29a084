import { domainToASCII, domainToUnicode } from 'node:url';
import { type AppId, type UserId, userIdFrom } from '../base/ids.ts';
import type { PageReason } from '../base/problems.ts';
import { isUniqueViolation, type Lookup, type Lookups, type Queries, type Tx } from '../db/database.ts';
import type { Profile } from './callers.ts';
import { revokeConsentsOf } from './consents.ts';
import { deleteSeen } from './seen-players.ts';

export type User = Profile & {
  readonly id: UserId;
  readonly kind: 'guest' | 'full' | 'closed';
  /** The app that created the user as a guest, also after they became a full user. Null if they signed up themselves. */
  readonly guestOf: AppId | null;
  readonly createdAt: Date;
  /** The language of their pages and mails (BCP 47). Null: they have not signed in since there are several. */
  readonly locale: string | null;
};

/** Those of {@link Profile}. */
export const PROFILE_COLUMNS = `display_name AS "displayName", coalesce(email, '') AS email, email_verified AS "emailVerified"`;
const COLUMNS = `id, kind, ${PROFILE_COLUMNS}, guest_of AS "guestOf", created_at AS "createdAt", locale`;

export async function findUser({ query }: Queries, id: UserId): Promise<User | null> {
  const [row] = await query<User>(`SELECT ${COLUMNS} FROM users WHERE id = $1`, [id]);
  return row ?? null;
}

const USERS: Lookup<User> = async ({ query }, ids) => {
  const users = await query<User>(`SELECT ${COLUMNS} FROM users WHERE id = ANY($1::text[])`, [ids]);
  return new Map(users.map((user) => [user.id, user]));
};

/** The same as {@link findUser}, in a statement that other calls share. */
export function lookUpUser(db: Lookups, id: UserId): Promise<User | null> {
  return db.lookUp(USERS, id);
}

/** The same for a text from outside. */
export async function lookUpNamedUser(db: Lookups, text: string): Promise<User | null> {
  const id = userIdFrom(text);
  return id && lookUpUser(db, id);
}

/** The user with an e-mail address, in any letter case. Release 1.0.0 stored international domains as they were typed. */
export async function findUserByEmail({ query }: Queries, email: string): Promise<User | null> {
  const folded = foldEmail(email);
  const [row] = await query<User>(`SELECT ${COLUMNS} FROM users WHERE lower(email COLLATE "C") = ANY($1::text[])`, [
    [folded, lowerAscii(readableEmail(folded))],
  ]);
  return row ?? null;
}

/**
 * Creates a user with a verified e-mail address. Null if the address is taken, even by a concurrent call.
 */
export async function insertFullUser(
  { query }: Queries,
  user: { id: UserId; email: string; displayName: string },
): Promise<User | null> {
  const [row] = await query<User>(
    `INSERT INTO users (id, kind, display_name, email, email_verified, became_full_at) VALUES ($1, 'full', $2, $3, true, now())
     ON CONFLICT (lower(email COLLATE "C")) DO NOTHING RETURNING ${COLUMNS}`,
    [user.id, user.displayName, user.email],
  );
  return row ?? null;
}

/**
 * Makes a guest a full user, with the same id. False if they are not a guest any more: of two concurrent calls exactly one gets true.
 * Throws {@link EmailTaken} if the address is taken; then the transaction has failed.
 */
export async function makeGuestFull(
  { query }: Tx,
  guest: { userId: UserId; email: string; displayName: string; locale?: string | undefined },
): Promise<boolean> {
  try {
    const rows = await query(
      `UPDATE users SET kind = 'full', email = $2, email_verified = true, display_name = $3, locale = $4, became_full_at = now()
        WHERE id = $1 AND kind = 'guest' RETURNING 1`,
      [guest.userId, guest.email, guest.displayName, guest.locale ?? null],
    );
    return rows.length === 1;
  } catch (error) {
    throw isUniqueViolation(error, 'users_by_email') ? new EmailTaken() : error;
  }
}

export type OpenUser = Pick<User, 'id' | 'guestOf'> & { readonly kind: 'guest' | 'full' };

/**
 * Locks those of these users who have an open account, in the order of their ids. Until the transaction ends, they can neither become full
 * users nor be closed, and others who lock them wait.
 */
export async function lockUsers({ query }: Tx, ids: readonly UserId[]): Promise<ReadonlyMap<UserId, OpenUser>> {
  const rows = await query<OpenUser>(
    `SELECT id, kind, guest_of AS "guestOf" FROM users WHERE id = ANY($1) AND kind <> 'closed'
      ORDER BY id FOR NO KEY UPDATE`,
    [ids],
  );
  return new Map(rows.map((row) => [row.id, row]));
}

/** Which of these guests have neither become full users nor been closed. They cannot until the transaction ends. */
export async function holdGuests({ query }: Tx, ids: readonly UserId[]): Promise<ReadonlySet<UserId>> {
  if (ids.length === 0) return new Set();
  const rows = await query<{ id: UserId }>(
    `SELECT id FROM users WHERE id = ANY($1) AND became_full_at IS NULL AND kind <> 'closed' ORDER BY id FOR SHARE`,
    [ids],
  );
  return new Set(rows.map(({ id }) => id));
}

/** Another user has the e-mail address already. */
export class EmailTaken extends Error {
  override readonly name = 'EmailTaken';
}

/** Changes a full user's display name, which must be normalised. */
export async function renameUser({ query }: Queries, id: UserId, displayName: string): Promise<void> {
  await query(`UPDATE users SET display_name = $2 WHERE id = $1 AND kind = 'full'`, [id, displayName]);
}

/**
 * Changes a full user's e-mail address to another verified one. False if `from` is not their address any more. Throws
 * {@link EmailTaken} if it is taken, even by a concurrent call.
 */
export async function changeEmailOf(
  { query }: Queries,
  id: UserId,
  { from, to }: { from: string; to: string },
): Promise<boolean> {
  try {
    const rows = await query(`UPDATE users SET email = $3 WHERE id = $1 AND kind = 'full' AND email = $2 RETURNING 1`, [
      id,
      from,
      to,
    ]);
    return rows.length === 1;
  } catch (error) {
    throw isUniqueViolation(error, 'users_by_email') ? new EmailTaken() : error;
  }
}

/**
 * Removes all personal data from a full user's row. False if it is closed already, or has another e-mail address by now. Of two concurrent
 * calls exactly one gets true.
 */
export async function closeUser({ query }: Queries, id: UserId, email: string): Promise<boolean> {
  const rows = await query(
    `UPDATE users SET kind = 'closed', closed_at = now(), email = NULL, email_verified = false, display_name = 'Closed account', locale = NULL
      WHERE id = $1 AND kind = 'full' AND email = $2 RETURNING 1`,
    [id, email],
  );
  return rows.length === 1;
}

/** The next `limit` users of any kind after the id `after`, in the order of their ids. */
export async function listUserIds({ query }: Queries, after: string, limit: number): Promise<UserId[]> {
  const rows = await query<{ id: UserId }>('SELECT id FROM users WHERE id > $1 ORDER BY id LIMIT $2', [after, limit]);
  return rows.map(({ id }) => id);
}

/** Whether this is a guest of this app. If so, they stay one until the transaction ends. */
export async function lockGuest({ query }: Tx, id: UserId, appId: AppId): Promise<boolean> {
  const rows = await query(`SELECT FROM users WHERE id = $1 AND guest_of = $2 AND kind = 'guest' FOR NO KEY UPDATE`, [
    id,
    appId,
  ]);
  return rows.length === 1;
}

/** Which of these users are full users, not guests. */
export async function fullUsersAmong({ query }: Queries, ids: readonly UserId[]): Promise<Set<UserId>> {
  const rows = await query<{ id: UserId }>(`SELECT id FROM users WHERE id = ANY($1) AND kind = 'full'`, [ids]);
  return new Set(rows.map(({ id }) => id));
}

/** Which of these users have closed their account. */
export async function closedUsersAmong({ query }: Queries, ids: readonly UserId[]): Promise<UserId[]> {
  const rows = await query<{ id: UserId }>(`SELECT id FROM users WHERE id = ANY($1) AND kind = 'closed'`, [ids]);
  return rows.map(({ id }) => id);
}

/** Deletes a user's credentials and withdraws all they allowed apps to do. */
export async function eraseCredentials(tx: Tx, userId: UserId): Promise<void> {
  const { query } = tx;
  await query('DELETE FROM passwords WHERE user_id = $1', [userId]);
  await query('DELETE FROM operators WHERE user_id = $1', [userId]);
  await query('DELETE FROM passkeys WHERE user_id = $1', [userId]);
  await query('DELETE FROM passkey_challenges WHERE user_id = $1', [userId]);
  await query('DELETE FROM email_codes WHERE user_id = $1', [userId]);
  await query('DELETE FROM sign_in_links WHERE user_id = $1', [userId]);
  await query('DELETE FROM form_drafts WHERE user_id = $1', [userId]);
  await query('DELETE FROM former_emails WHERE user_id = $1', [userId]);
  await deleteSeen(tx, userId);
  await revokeConsentsOf(tx, userId);
}

const MAX_DISPLAY_NAME_CHARACTERS = 40;

/** What is wrong with a text that holds no display name. */
export const DISPLAY_NAME_FAULT: PageReason = { code: 'name-unusable', number: MAX_DISPLAY_NAME_CHARACTERS };

/** Normalises a display name to one line; null if nothing of it is visible. */
export function displayNameFrom(text: string): string | null {
  const name = text.normalize('NFC').replace(/\s+/gu, ' ').trim();
  // Emoji and several scripts need joiners. Other invisible characters could reverse the direction of the text behind them.
  if ([...name].length > MAX_DISPLAY_NAME_CHARACTERS || /[^\P{C}\u200c\u200d]/u.test(name)) return null;
  return /[\p{L}\p{N}\p{P}\p{S}]/u.test(name) ? name : null;
}

/** The longest address that fits SMTP's path (RFC 5321, section 4.5.3.1.3, less the angle brackets). */
const MAX_EMAIL_CHARACTERS = 254;

/** A domain with letters of any script, and with the full stops that their keyboards have. */
const INTERNATIONAL_DOMAIN = /^(?=.*\P{ASCII})[\p{L}\p{N}\p{M}.\u3002\uff0e\uff61-]+$/u;

/**
 * Normalises a typed address. Keeps the case, which may matter before the `@` (RFC 5321, section 2.4). An international domain gets its ASCII
 * form (RFC 5891), as some browsers send it: so a mailbox has one address, however it was typed.
 */
export function normaliseEmail(text: string): string {
  const email = text.trim().normalize('NFC');
  const [local, domain] = partsOf(email);
  return INTERNATIONAL_DOMAIN.test(domain) ? `${local}@${domainToASCII(domain)}` : email;
}

/** An address as people read it: its domain in letters of its own script. */
export function readableEmail(email: string): string {
  const [local, domain] = partsOf(email);
  return /(?:^|\.)xn--/i.test(domain) ? `${local}@${domainToUnicode(domain)}` : email;
}

function partsOf(email: string): [local: string, domain: string] {
  const at = email.lastIndexOf('@');
  return [email.slice(0, at), email.slice(at + 1)];
}

/** The form in which an address is looked up, compared and counted: normalised, and in lower case. */
export function foldEmail(email: string): string {
  return lowerAscii(normaliseEmail(email));
}

/**
 * A to Z in lower case, as with `lower(email COLLATE "C")` in the database. Other letters stay: PostgreSQL would turn `İ` into `i`, and the
 * owner of one address would be taken for the owner of another.
 */
function lowerAscii(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/**
 * What is wrong with an e-mail address; null if it may be valid. Only a mail can show whether it works. So this looks for typing errors,
 * and for characters that could end a mail's header (control characters, brackets, commas, quotation marks).
 */
export function emailFault(email: string): PageReason | null {
  if (email === '') return { code: 'email-missing' };
  if (email.length > MAX_EMAIL_CHARACTERS) return { code: 'email-too-long', number: MAX_EMAIL_CHARACTERS };
  const one = /^[^\s\p{C}@<>()[\]\\,;:"]{1,64}@[A-Za-z\d](?:(?:-*|\.)[A-Za-z\d])*$/u;
  return one.test(email) ? null : { code: 'email-malformed' };
}
