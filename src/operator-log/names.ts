import { randomLettersAndDigits, type UserId } from '../base/ids.ts';
import type { Queries, Tx } from '../db/database.ts';

/**
 * Whom a pseudonym stands for: a user (`client` empty), or the address that calls of a user came from. `userId` is empty for calls of
 * nobody known.
 */
export type Named = { readonly userId: UserId | ''; readonly client: string };

/** Enough that nobody guesses one. */
const NAME_LENGTH = 22;

const keyOf = ({ userId, client }: Named) => `${userId} ${client}`;

/**
 * The pseudonyms of these, which are made where there are none. Returns the one for each. It takes no lock, and waits for nobody: of two
 * transactions that meet, each may make one. Both stand for the same.
 */
export async function nameAll({ query }: Tx, wanted: readonly Named[]): Promise<(named: Named) => string> {
  const distinct = [...new Map(wanted.map((named) => [keyOf(named), named])).values()];
  if (distinct.length === 0) return missing;
  const rows = await query<Named & { name: string }>(
    `WITH wanted AS (SELECT * FROM unnest($1::text[], $2::text[], $3::text[]) AS each (user_id, client, fresh)),
          added AS (
            INSERT INTO operator_log_names (name, user_id, client)
            SELECT fresh, user_id, client FROM wanted
             WHERE NOT EXISTS (SELECT FROM operator_log_names AS known
                                WHERE known.user_id = wanted.user_id AND known.client = wanted.client)
            RETURNING name, user_id, client)
     SELECT name, user_id AS "userId", client FROM added
     UNION ALL
     SELECT (SELECT name FROM operator_log_names AS known
              WHERE known.user_id = wanted.user_id AND known.client = wanted.client ORDER BY created_at, name LIMIT 1),
            user_id, client
       FROM wanted`,
    [
      distinct.map(({ userId }) => userId),
      distinct.map(({ client }) => client),
      distinct.map(({ client }) => `${client === '' ? 'u' : 'c'}_${randomLettersAndDigits(NAME_LENGTH)}`),
    ],
  );
  const names = new Map(rows.filter(({ name }) => name !== null).map((row) => [keyOf(row), row.name]));
  return (named) => names.get(keyOf(named)) ?? missing();
}

function missing(): never {
  throw new Error('A pseudonym was not asked for');
}

/** Whom these pseudonyms stand for, as far as that is still known. */
export async function resolveNames({ query }: Queries, names: readonly string[]): Promise<ReadonlyMap<string, Named>> {
  if (names.length === 0) return new Map();
  const rows = await query<Named & { name: string }>(
    `SELECT name, user_id AS "userId", client FROM operator_log_names WHERE name = ANY($1)`,
    [names],
  );
  return new Map(rows.map(({ name, ...named }) => [name, named]));
}

/**
 * Forgets whom the pseudonyms of a user and of their addresses stand for, and the notes about the user. The entries stay as they are and
 * name nobody.
 */
export async function forgetNamesOf({ query }: Queries, userIds: readonly UserId[]): Promise<void> {
  await query('DELETE FROM operator_log_names WHERE user_id = ANY($1)', [userIds]);
  await query(`DELETE FROM operator_log_reasons WHERE user_id = ANY($1) AND user_id <> ''`, [userIds]);
}
/** The pseudonyms of a user, not those of their addresses. */
export async function namesOf({ query }: Queries, userId: string): Promise<string[]> {
  const rows = await query<{ name: string }>(`SELECT name FROM operator_log_names WHERE user_id = $1 AND client = ''`, [
    userId,
  ]);
  return rows.map(({ name }) => name);
}

/** The next `limit` users after the id `after` who have a pseudonym or a note, in the order of their ids. */
export async function listNamedUsers({ query }: Queries, after: string, limit: number): Promise<UserId[]> {
  const rows = await query<{ id: UserId }>(
    `SELECT user_id AS id FROM operator_log_names WHERE user_id > $1 GROUP BY user_id
     UNION SELECT user_id FROM operator_log_reasons WHERE user_id > $1 AND user_id <> '' GROUP BY user_id
     ORDER BY id LIMIT $2`,
    [after, limit],
  );
  return rows.map(({ id }) => id);
}
