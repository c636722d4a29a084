import type { AppId, UserId } from '../base/ids.ts';
import { Problem } from '../base/problems.ts';
import type { Queries, Tx } from '../db/database.ts';
import { keepUntil } from '../db/keep-until.ts';
import type { MemberRole } from './app-roles.ts';
import { foldEmail } from './users.ts';

/** An invitation as the app's team sees it. */
export type AppInvitation = {
  readonly email: string;
  readonly role: MemberRole;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  /** Its mail was given up. */
  readonly mailRefused: boolean;
};

/** An invitation as its recipient sees it. */
export type ReceivedInvitation = {
  readonly appId: AppId;
  readonly appName: string;
  readonly role: MemberRole;
  /** The address of who sent it. */
  readonly invitedBy: string;
  readonly expiresAt: Date;
};

export const INVITATION_DAYS = 14;
const MAX_INVITATIONS = 20;
/** More are not shown at once. Nobody is helped by a longer list. */
const MAX_RECEIVED = 50;

const BY_ADDRESS = 'lower(app_invitations.email COLLATE "C")';

/** Stores an invitation for a locked app; a new one to the same address replaces the old one. Throws `limit-reached`. */
export async function storeInvitation(
  { query }: Tx,
  invitation: { appId: AppId; email: string; role: MemberRole; invitedBy: UserId },
): Promise<void> {
  const { appId, email, role, invitedBy } = invitation;
  await query('DELETE FROM app_invitations WHERE app_id = $1 AND expires_at <= now()', [appId]);
  await query(
    `INSERT INTO app_invitations (app_id, email, role, invited_by, expires_at)
     VALUES ($1, $2, $3, $4, now() + make_interval(days => $5))
     ON CONFLICT (app_id, lower(email COLLATE "C")) DO UPDATE
       SET role = excluded.role, invited_by = excluded.invited_by, created_at = now(), expires_at = excluded.expires_at,
           mail_refused = false`,
    [appId, email, role, invitedBy, INVITATION_DAYS],
  );
  const open = await query('SELECT FROM app_invitations WHERE app_id = $1', [appId]);
  if (open.length > MAX_INVITATIONS) {
    throw new Problem('limit-reached', `At most ${MAX_INVITATIONS} invitations can be open. Withdraw one first.`);
  }
}

/** An app's open invitations, oldest first. */
export async function listInvitations({ query }: Queries, appId: AppId): Promise<AppInvitation[]> {
  return query<AppInvitation>(
    `SELECT email, role, created_at AS "createdAt", expires_at AS "expiresAt", mail_refused AS "mailRefused" FROM app_invitations
      WHERE app_id = $1 AND expires_at > now() ORDER BY created_at, email`,
    [appId],
  );
}

/** Notes that the mail of an invitation was given up. It is the same whether the address has an account. */
export async function noteRefusedInvitation({ query }: Queries, appId: AppId, email: string): Promise<void> {
  await query(`UPDATE app_invitations SET mail_refused = true WHERE app_id = $1 AND ${BY_ADDRESS} = $2`, [
    appId,
    foldEmail(email),
  ]);
}

/** The open invitations to an address. */
export async function listInvitationsTo({ query }: Queries, email: string): Promise<ReceivedInvitation[]> {
  return query<ReceivedInvitation>(
    `SELECT app_id AS "appId", apps.name AS "appName", role, coalesce(users.email, '') AS "invitedBy", expires_at AS "expiresAt"
       FROM app_invitations JOIN apps ON apps.id = app_id JOIN users ON users.id = invited_by
      WHERE ${BY_ADDRESS} = $1 AND expires_at > now() ORDER BY app_invitations.created_at, app_id LIMIT ${MAX_RECEIVED}`,
    [foldEmail(email)],
  );
}

/** Ends the invitation of an address. Returns the role it offered; null if there is none, or it has expired. */
export async function takeInvitation({ query }: Queries, appId: AppId, email: string): Promise<MemberRole | null> {
  const [row] = await query<{ role: MemberRole; open: boolean }>(
    `DELETE FROM app_invitations WHERE app_id = $1 AND ${BY_ADDRESS} = $2 RETURNING role, expires_at > now() AS open`,
    [appId, foldEmail(email)],
  );
  return row?.open ? row.role : null;
}

/** Withdraws what somebody sent who may not invite any more. The app must be locked. */
export async function deleteInvitationsBy({ query }: Tx, appId: AppId, invitedBy: UserId): Promise<void> {
  await query('DELETE FROM app_invitations WHERE app_id = $1 AND invited_by = $2', [appId, invitedBy]);
}

/** Ends what was sent to and by somebody who closes their account. */
export async function deleteInvitationsAround({ query }: Tx, userId: UserId, email: string): Promise<void> {
  await query(
    `WITH theirs AS (
       SELECT app_id, email FROM app_invitations WHERE invited_by = $1 OR ${BY_ADDRESS} = $2
        ORDER BY app_id, email FOR UPDATE)
     DELETE FROM app_invitations USING theirs
      WHERE app_invitations.app_id = theirs.app_id AND app_invitations.email = theirs.email`,
    [userId, foldEmail(email)],
  );
}

export const KEPT_INVITATIONS = keepUntil(
  { from: 'FROM app_invitations', key: 'app_id, email', since: 'expires_at' },
  { what: 'an invitation to a team, with the e-mail address', kept: `${INVITATION_DAYS} days`, why: 'accepting it' },
);
