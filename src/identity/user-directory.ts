import type { UserId } from '../base/ids.ts';
import type { Queries } from '../db/database.ts';
import type { User } from './users.ts';

/** When a user changed from one kind to another; null if they did not. */
export type UserMilestones = { readonly becameFullAt: Date | null; readonly closedAt: Date | null };

/** What a list of found players shows of each. */
export type NamedUser = Pick<User, 'id' | 'displayName' | 'createdAt'>;

/** The end of all texts that begin with a prefix, in the collation of the index. */
const LAST_CHARACTER = 'chr(1114111)';

export async function readMilestones({ query }: Queries, id: UserId): Promise<UserMilestones> {
  const [row] = await query<UserMilestones>(
    'SELECT became_full_at AS "becameFullAt", closed_at AS "closedAt" FROM users WHERE id = $1',
    [id],
  );
  return row ?? { becameFullAt: null, closedAt: null };
}

/** Full users whose name begins with a text, in any letter case, by name; at most `most`. */
export async function findUsersByName({ query }: Queries, beginning: string, most: number): Promise<NamedUser[]> {
  // Not with LIKE: the plan of a prepared statement would read every name.
  return query<NamedUser>(
    `SELECT id, display_name AS "displayName", created_at AS "createdAt" FROM users
      WHERE kind = 'full' AND lower(display_name) COLLATE "C" >= lower($1)
        AND lower(display_name) COLLATE "C" < lower($1) || ${LAST_CHARACTER}
      ORDER BY lower(display_name) COLLATE "C", id LIMIT $2`,
    [beginning, most],
  );
}
