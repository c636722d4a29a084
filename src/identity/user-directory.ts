import type { UserId } from '../base/ids.ts';
import type { Queries } from '../db/database.ts';
import type { User } from './users.ts';

/** When a user changed from one kind to another; null if they did not. */
export type UserMilestones = { readonly becameFullAt: Date | null; readonly closedAt: Date | null };

/** What a list of found players shows of each. */
export type NamedUser = Pick<User, 'id' | 'kind' | 'displayName' | 'guestOf' | 'createdAt'>;

const NAMED = 'id, kind, display_name AS "displayName", guest_of AS "guestOf", created_at AS "createdAt"';

/** The end of all texts that begin with a prefix, in the collation of the index. */
const LAST_CHARACTER = 'chr(1114111)';

/** The text of a full user that the index `full_users_by_part` is about. */
const SEARCHED = `search_form(display_name || E'\\n' || coalesce(email, ''))`;
/** As in the index `users_by_becoming_full`. A wave of guests is not in it. */
const LAST_FIRST = 'ORDER BY became_full_at DESC, id DESC';
const HAS_PART = `kind = 'full' AND strpos(${SEARCHED}, search_form($1)) > 0`;

/** A part that many have is found among so many of the newest full users, without reading all who have it. */
const NEWEST = 5_000;

export async function readMilestones({ query }: Queries, id: UserId): Promise<UserMilestones> {
  const [row] = await query<UserMilestones>(
    'SELECT became_full_at AS "becameFullAt", closed_at AS "closedAt" FROM users WHERE id = $1',
    [id],
  );
  return row ?? { becameFullAt: null, closedAt: null };
}

/**
 * Full users with a text anywhere in their name or e-mail address, who became that last first, at most `most`. Letters count without their case, width and
 * accents. A text that is one character without its marks finds nobody.
 */
export async function findUsersByPart({ query }: Queries, part: string, most: number): Promise<NamedUser[]> {
  const newest = await query<NamedUser>(
    `SELECT ${NAMED} FROM (
       SELECT * FROM users WHERE kind = 'full' AND became_full_at IS NOT NULL ${LAST_FIRST} LIMIT $3) AS newest
      WHERE ${HAS_PART} AND length(search_form($1)) > 1 ${LAST_FIRST} LIMIT $2`,
    [part, most, NEWEST],
  );
  if (newest.length === most) return newest;
  // Not with LIKE: the plan of a prepared statement would read every name.
  return query<NamedUser>(
    `SELECT ${NAMED} FROM users
      WHERE search_pairs(${SEARCHED}) @> search_pairs(search_form($1)) AND ${HAS_PART} AND length(search_form($1)) > 1
      ${LAST_FIRST} LIMIT $2`,
    [part, most],
  );
}

/** Guests, also closed ones, whose name begins with a text, or is "Guest" and then begins with it; by name, at most `most`. */
export async function findGuestsByName({ query }: Queries, beginning: string, most: number): Promise<NamedUser[]> {
  const beginsWith = (text: string) =>
    `(SELECT ${NAMED} FROM users
       WHERE became_full_at IS NULL AND lower(display_name COLLATE "C") >= lower(${text} COLLATE "C")
         AND lower(display_name COLLATE "C") < lower(${text} COLLATE "C") || ${LAST_CHARACTER}
       ORDER BY lower(display_name COLLATE "C"), id LIMIT $2)`;
  return query<NamedUser>(
    `SELECT * FROM (${beginsWith('$1')} UNION ALL ${beginsWith(`'guest ' || $1`)}) AS guests LIMIT $2`,
    [beginning, most],
  );
}

/** All open users, newest first. With `before`, those who came before that one. */
export async function readUserPage({ query }: Queries, before: UserId | null, limit: number): Promise<NamedUser[]> {
  return query<NamedUser>(
    `SELECT ${NAMED} FROM users
      WHERE kind <> 'closed' AND ($1::text IS NULL OR (created_at, id) < (SELECT created_at, id FROM users WHERE id = $1))
      ORDER BY created_at DESC, id DESC LIMIT $2`,
    [before, limit],
  );
}

/** Those of these users who have an open account. */
export async function findNamedUsers({ query }: Queries, ids: readonly UserId[]): Promise<Map<UserId, NamedUser>> {
  const rows = await query<NamedUser>(`SELECT ${NAMED} FROM users WHERE id = ANY($1::text[]) AND kind <> 'closed'`, [
    ids,
  ]);
  return new Map(rows.map((row) => [row.id, row]));
}
