import { type AppId, newUserId, randomLettersAndDigits, type UserId } from '../base/ids.ts';
import { isUniqueViolation, type Query, type Tx } from '../db/database.ts';
import { foldEmail } from './email-address.ts';

export type User = {
  readonly id: UserId;
  readonly kind: 'guest' | 'full' | 'closed';
  readonly displayName: string;
  /** Empty where the user has none. */
  readonly email: string;
  readonly emailVerified: boolean;
  /** The app that made the guest, also after it became full; null for who signed up by themselves. */
  readonly guestOf: AppId | null;
  readonly createdAt: Date;
};

const COLUMNS = `id, kind, display_name AS "displayName", coalesce(email, '') AS email, email_verified AS "emailVerified",
  guest_of AS "guestOf", created_at AS "createdAt"`;

/** A user without e-mail, in the hands of the app that made it. Shown as, for example, `Guest 7F3K`. */
export async function insertGuest({ query }: { query: Query }, appId: AppId): Promise<User> {
  const name = `Guest ${randomLettersAndDigits(4).toUpperCase()}`;
  const [row] = await query<User>(
    `INSERT INTO users (id, kind, display_name, guest_of) VALUES ($1, 'guest', $2, $3) RETURNING ${COLUMNS}`,
    [newUserId(), name, appId],
  );
  return row!;
}

export async function findUser({ query }: { query: Query }, id: UserId): Promise<User | null> {
  const [row] = await query<User>(`SELECT ${COLUMNS} FROM users WHERE id = $1`, [id]);
  return row ?? null;
}

/** The user an e-mail address belongs to, in whatever letter case. */
export async function findUserByEmail({ query }: { query: Query }, email: string): Promise<User | null> {
  const [row] = await query<User>(`SELECT ${COLUMNS} FROM users WHERE lower(email COLLATE "C") = $1`, [
    foldEmail(email),
  ]);
  return row ?? null;
}

/**
 * A user with a verified e-mail address. Null where the address belongs to somebody already, also when that happened just now.
 */
export async function insertFullUser(
  { query }: { query: Query },
  user: { email: string; displayName: string },
): Promise<User | null> {
  const [row] = await query<User>(
    `INSERT INTO users (id, kind, display_name, email, email_verified, became_full_at) VALUES ($1, 'full', $2, $3, true, now())
     ON CONFLICT (lower(email COLLATE "C")) DO NOTHING RETURNING ${COLUMNS}`,
    [newUserId(), user.displayName, user.email],
  );
  return row ?? null;
}

/**
 * Makes a guest a full user; id and everything that hangs on it stay. False where it is no guest any more: of two at once
 * exactly one gets true. Throws {@link EmailTaken} where the address belongs to somebody already; the transaction is lost then.
 */
export async function makeGuestFull(
  { query }: Tx,
  guest: { userId: UserId; email: string; displayName: string },
): Promise<boolean> {
  try {
    const rows = await query(
      `UPDATE users SET kind = 'full', email = $2, email_verified = true, display_name = $3, became_full_at = now()
        WHERE id = $1 AND kind = 'guest' RETURNING 1`,
      [guest.userId, guest.email, guest.displayName],
    );
    return rows.length === 1;
  } catch (error) {
    throw isUniqueViolation(error, 'users_by_email') ? new EmailTaken() : error;
  }
}

/**
 * A user who is not closed, and the app that made them; null where there is none. Until the transaction ends they become neither full
 * nor closed, and whoever else locks them waits.
 */
export async function lockUser(
  { query }: Tx,
  id: UserId,
): Promise<{ readonly kind: 'guest' | 'full'; readonly guestOf: AppId | null } | null> {
  const [row] = await query<{ kind: 'guest' | 'full'; guestOf: AppId | null }>(
    `SELECT kind, guest_of AS "guestOf" FROM users WHERE id = $1 AND kind <> 'closed' FOR NO KEY UPDATE`,
    [id],
  );
  return row ?? null;
}

/** Those of these guests who have not become full users; they do not until the transaction ends. */
export async function holdGuests({ query }: Tx, ids: readonly UserId[]): Promise<ReadonlySet<UserId>> {
  if (ids.length === 0) return new Set();
  const rows = await query<{ id: UserId }>(
    `SELECT id FROM users WHERE id = ANY($1) AND became_full_at IS NULL ORDER BY id FOR SHARE`,
    [ids],
  );
  return new Set(rows.map(({ id }) => id));
}

/** The e-mail address belongs to somebody already. */
export class EmailTaken extends Error {
  override readonly name = 'EmailTaken';
}

/** Of a full user. `displayName`: cleaned. */
export async function renameUser({ query }: { query: Query }, id: UserId, displayName: string): Promise<void> {
  await query(`UPDATE users SET display_name = $2 WHERE id = $1 AND kind = 'full'`, [id, displayName]);
}

/**
 * Gives a full user another, verified e-mail address. False where `from` is not the one they have any more. Throws
 * {@link EmailTaken} where it belongs to somebody else, also when that happened just now.
 */
export async function changeEmailOf(
  { query }: { query: Query },
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
 * Takes everything out of a full user's row that says who it was. False where it is closed already, or has another e-mail
 * address by now. Of two at once exactly one gets true.
 */
export async function closeUser({ query }: { query: Query }, id: UserId, email: string): Promise<boolean> {
  const rows = await query(
    `UPDATE users SET kind = 'closed', closed_at = now(), email = NULL, email_verified = false, display_name = 'Closed account'
      WHERE id = $1 AND kind = 'full' AND email = $2 RETURNING 1`,
    [id, email],
  );
  return rows.length === 1;
}

/** Up to `limit` users of any kind, in the order of their ids, from the one after `after`. */
export async function listUserIds({ query }: { query: Query }, after: string, limit: number): Promise<UserId[]> {
  const rows = await query<{ id: UserId }>('SELECT id FROM users WHERE id > $1 ORDER BY id LIMIT $2', [after, limit]);
  return rows.map(({ id }) => id);
}

/** Whether this is a guest in the hands of this app; until the transaction ends, it stays one. */
export async function lockGuest({ query }: Tx, id: UserId, appId: AppId): Promise<boolean> {
  const rows = await query(`SELECT FROM users WHERE id = $1 AND guest_of = $2 AND kind = 'guest' FOR NO KEY UPDATE`, [
    id,
    appId,
  ]);
  return rows.length === 1;
}
