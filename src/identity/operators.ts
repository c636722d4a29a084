import type { UserId } from '../base/ids.ts';
import type { Lookup, Lookups, Queries, Tx } from '../db/database.ts';

/** Somebody with the role of an operator. */
export type OperatorRow = {
  readonly userId: UserId;
  readonly displayName: string;
  readonly email: string;
  readonly passkeys: number;
  readonly addedAt: Date;
};

/** In the order in which they got the role. */
export async function listOperatorRows({ query }: Queries): Promise<OperatorRow[]> {
  return query<OperatorRow>(
    `SELECT operators.user_id AS "userId", display_name AS "displayName", coalesce(email, '') AS email, added_at AS "addedAt",
            (SELECT count(*)::int FROM passkeys WHERE passkeys.user_id = operators.user_id) AS passkeys
       FROM operators JOIN users ON users.id = operators.user_id ORDER BY added_at, operators.user_id`,
  );
}

const ROLE: Lookup<true> = async ({ query }, keys) => {
  const rows = await query<{ userId: string }>('SELECT user_id AS "userId" FROM operators WHERE user_id = ANY($1)', [
    keys,
  ]);
  return new Map(rows.map(({ userId }) => [userId, true]));
};

/** Whether a user has the role now. A change checks it again with {@link holdOperator}. */
export async function isOperator(db: Lookups, userId: UserId): Promise<boolean> {
  return (await db.lookUp(ROLE, userId)) !== null;
}

/** Whether a user has the role, which then lasts as long as the transaction. */
export async function holdOperator({ query }: Tx, userId: UserId): Promise<boolean> {
  return (await query('SELECT FROM operators WHERE user_id = $1 FOR KEY SHARE', [userId])).length > 0;
}

/** Gives a user the role. The user must be locked. False if they have it already. */
export async function insertOperator({ query }: Tx, userId: UserId): Promise<boolean> {
  const rows = await query('INSERT INTO operators (user_id) VALUES ($1) ON CONFLICT DO NOTHING RETURNING 1', [userId]);
  return rows.length > 0;
}

/** Takes the role away, after every action that {@link holdOperator} holds. False if the user does not have it. */
export async function deleteOperator({ query }: Queries, userId: UserId): Promise<boolean> {
  return (await query('DELETE FROM operators WHERE user_id = $1 RETURNING 1', [userId])).length > 0;
}

/**
 * Takes the role from a user who has no passkey left. It would otherwise wait for the next passkey of the account, which somebody
 * with its password alone could add. The user must be locked.
 */
export async function endOperatorWithoutPasskey({ query }: Tx, userId: UserId): Promise<boolean> {
  const rows = await query(
    'DELETE FROM operators WHERE user_id = $1 AND NOT EXISTS (SELECT FROM passkeys WHERE user_id = $1) RETURNING 1',
    [userId],
  );
  return rows.length > 0;
}
