import type { AppId, UserId } from '../base/ids.ts';
import { Problem } from '../base/problems.ts';
import type { Queries, Tx } from '../db/database.ts';
import type { AppRole, MemberRole } from './app-roles.ts';

/** Somebody who manages an app besides its owner. */
export type AppMember = {
  readonly userId: UserId;
  readonly displayName: string;
  readonly email: string;
  readonly role: MemberRole;
  readonly addedAt: Date;
};

const MAX_MEMBERS = 50;

/** The role of a user among an app's members; null if they are none. Exact while the app is locked. */
export async function findMemberRole({ query }: Queries, appId: AppId, userId: UserId): Promise<MemberRole | null> {
  const [row] = await query<{ role: MemberRole }>('SELECT role FROM app_members WHERE app_id = $1 AND user_id = $2', [
    appId,
    userId,
  ]);
  return row?.role ?? null;
}

type Membership = { readonly appId: AppId; readonly userId: UserId };

/** Identifies a user's part in an app in maps. */
export const roleKey = ({ appId, userId }: Membership): string => `${appId} ${userId}`;

/**
 * The roles of users in living apps, by {@link roleKey}. None of them changes until the transaction ends, because whoever changes one locks
 * the app first. The statement that reads them comes after the one that waits for such changes, so that it sees them.
 */
export async function holdRoles({ query }: Tx, of: readonly Membership[]): Promise<ReadonlyMap<string, AppRole>> {
  const apps = [...new Set(of.map(({ appId }) => appId))];
  const [, rows] = await Promise.all([
    query('SELECT FROM apps WHERE id = ANY($1) ORDER BY id FOR SHARE', [apps]),
    query<Membership & { readonly role: AppRole }>(
      `SELECT id AS "appId", owner_id AS "userId", 'owner' AS role FROM apps WHERE id = ANY($1) AND owner_id = ANY($2) AND deleted_at IS NULL
       UNION ALL
       SELECT app_id, user_id, role FROM app_members JOIN apps ON apps.id = app_id
        WHERE app_id = ANY($1) AND user_id = ANY($2) AND deleted_at IS NULL`,
      [apps, of.map(({ userId }) => userId)],
    ),
  ]);
  return new Map(rows.map((row) => [roleKey(row), row.role]));
}

/** Whether a user owns a living app or is a member of one. */
export async function managesApps({ query }: Queries, userId: UserId): Promise<boolean> {
  const [row] = await query<{ manages: boolean }>(
    `SELECT EXISTS (SELECT FROM apps WHERE owner_id = $1 AND deleted_at IS NULL)
         OR EXISTS (SELECT FROM app_members JOIN apps ON apps.id = app_id WHERE user_id = $1 AND deleted_at IS NULL) AS manages`,
    [userId],
  );
  return row!.manages;
}

/** An app's members, in the order in which they joined. */
export async function listMembers({ query }: Queries, appId: AppId): Promise<AppMember[]> {
  return query<AppMember>(
    `SELECT user_id AS "userId", display_name AS "displayName", coalesce(email, '') AS email, role, added_at AS "addedAt"
       FROM app_members JOIN users ON users.id = user_id WHERE app_id = $1 ORDER BY added_at, user_id`,
    [appId],
  );
}

/** The e-mail addresses of an app's owner and admins. An app of the operator may have neither. */
export async function managerAddresses({ query }: Queries, appId: AppId): Promise<string[]> {
  const rows = await query<{ email: string }>(
    `SELECT email FROM users WHERE email IS NOT NULL AND id IN (
       SELECT owner_id FROM apps WHERE id = $1
       UNION ALL SELECT user_id FROM app_members WHERE app_id = $1 AND role = 'admin') ORDER BY email`,
    [appId],
  );
  return rows.map(({ email }) => email);
}

/** Adds a member to a locked app. Somebody who is one already keeps their role. Throws `limit-reached`. */
export async function insertMember({ query }: Tx, appId: AppId, userId: UserId, role: MemberRole): Promise<void> {
  await query('INSERT INTO app_members (app_id, user_id, role) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING', [
    appId,
    userId,
    role,
  ]);
  const members = await query('SELECT FROM app_members WHERE app_id = $1', [appId]);
  if (members.length > MAX_MEMBERS) throw new Problem('limit-reached', `A team has at most ${MAX_MEMBERS} members.`);
}

/** Changes a member's role. The app must be locked. False if the app has no such member. */
export async function storeMemberRole({ query }: Tx, appId: AppId, userId: UserId, role: MemberRole): Promise<boolean> {
  const rows = await query('UPDATE app_members SET role = $3 WHERE app_id = $1 AND user_id = $2 RETURNING 1', [
    appId,
    userId,
    role,
  ]);
  return rows.length === 1;
}

/** Removes a member. The app must be locked. False if the app has no such member. */
export async function deleteMember({ query }: Tx, appId: AppId, userId: UserId): Promise<boolean> {
  const rows = await query('DELETE FROM app_members WHERE app_id = $1 AND user_id = $2 RETURNING 1', [appId, userId]);
  return rows.length === 1;
}

/** Ends all memberships of somebody who closes their account. Their user is locked, so they join no other team meanwhile. */
export async function deleteMembershipsOf({ query }: Tx, userId: UserId): Promise<void> {
  await query(
    `WITH theirs AS (SELECT app_id FROM app_members WHERE user_id = $1 ORDER BY app_id FOR UPDATE)
     DELETE FROM app_members USING theirs WHERE user_id = $1 AND app_members.app_id = theirs.app_id`,
    [userId],
  );
}

/** Ends the team of a locked app that is being deleted, with its invitations. */
export async function deleteTeam({ query }: Tx, appId: AppId): Promise<void> {
  await query('DELETE FROM app_members WHERE app_id = $1', [appId]);
  await query('DELETE FROM app_invitations WHERE app_id = $1', [appId]);
}
