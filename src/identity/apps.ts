import { type AppId, appIdFrom, type TransferId, type UserId } from '../base/ids.ts';
import type { Quarters } from '../base/quarters.ts';
import type { Lookup, Lookups, Queries, Tx } from '../db/database.ts';
import type { AppRole } from './app-roles.ts';

/** `approval`: by approving a payment on a page that says so; `box`: by ticking a box there. */
export type AutoApproveConsent = 'approval' | 'box';

export type App = {
  readonly id: AppId;
  readonly name: string;
  /** The exact addresses that a result may be sent to. */
  readonly redirectUris: readonly string[];
  /** CSP sources of pages that may frame ours. */
  readonly frameAncestors: readonly string[];
  /** Origins that a result may be posted to. If there are none, those that may frame our pages count. */
  readonly resultOrigins: readonly string[];
  /** Where players buy quarters. Null: the app has no such page. */
  readonly topUpUrl: string | null;
  /** A client that can keep no secret (RFC 6749, section 2.1): PKCE is required of it. */
  readonly publicClient: boolean;
  readonly autoApprove: boolean;
  /** How players agree to a spending limit. */
  readonly autoApproveConsent: AutoApproveConsent;
  /** When its developer requested auto approval. The operator enables it. */
  readonly autoApproveRequestedAt: Date | null;
  /** When auto approval was first enabled. It stays if auto approval is disabled again. */
  readonly autoApproveSince: Date | null;
  /** The most that the operator lets a spending limit for this app allow, below their settings; null: these alone. */
  readonly mandatePerTransfer: Quarters | null;
  readonly mandatePerDay: Quarters | null;
  /** Who registered it on the developer page; null if the operator did. */
  readonly ownerId: UserId | null;
  /** When the operator verified who is behind it. Null if not, or if its name or picture has changed since. */
  readonly verifiedAt: Date | null;
  /** The name of its picture, `{hash in hex}.png` or `.webp`; null if it has none. */
  readonly picture: string | null;
  readonly createdAt: Date;
  /** When its owner or the operator deleted it. Its account, payments and name stay. */
  readonly deletedAt: Date | null;
  /** When the operator suspended it. Its keys and tokens do nothing, and no quarters move to it or from it, until it is resumed. */
  readonly suspendedAt: Date | null;
};

const COLUMNS = `id, name, redirect_uris AS "redirectUris", frame_ancestors AS "frameAncestors", result_origins AS "resultOrigins",
  top_up_url AS "topUpUrl", public_client AS "publicClient", auto_approve AS "autoApprove",
  auto_approve_consent AS "autoApproveConsent",
  auto_approve_requested_at AS "autoApproveRequestedAt",
  auto_approve_since AS "autoApproveSince", mandate_per_transfer AS "mandatePerTransfer", mandate_per_day AS "mandatePerDay",
  owner_id AS "ownerId", verified_at AS "verifiedAt",
  (SELECT encode(hash, 'hex') || '.' || type FROM app_pictures WHERE app_id = apps.id) AS picture,
  created_at AS "createdAt", deleted_at AS "deletedAt", suspended_at AS "suspendedAt"`;

export type NewApp = Pick<
  App,
  | 'name'
  | 'redirectUris'
  | 'frameAncestors'
  | 'resultOrigins'
  | 'topUpUrl'
  | 'publicClient'
  | 'autoApprove'
  | 'autoApproveConsent'
  | 'ownerId'
>;

/** `testTransferId`: the transfer that is to bring the app test quarters; null if it gets none. */
export async function insertApp(
  { query }: Queries,
  id: AppId,
  app: NewApp,
  testTransferId: TransferId | null = null,
): Promise<App> {
  const [row] = await query<App>(
    `INSERT INTO apps (id, name, redirect_uris, frame_ancestors, result_origins, top_up_url, public_client, auto_approve,
                       auto_approve_since, owner_id, test_transfer_id, auto_approve_consent)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, CASE WHEN $8 THEN now() END, $9, $10, $11) RETURNING ${COLUMNS}`,
    [
      id,
      app.name,
      app.redirectUris,
      app.frameAncestors,
      app.resultOrigins,
      app.topUpUrl,
      app.publicClient,
      app.autoApprove,
      app.ownerId,
      testTransferId,
      app.autoApproveConsent,
    ],
  );
  return row!;
}

const APPS: Lookup<App> = (db, ids) => findApps(db, ids as readonly AppId[]);

/** One app, even a deleted one, in a statement that other calls share; null if there is none. */
export function lookUpApp(db: Lookups, id: AppId): Promise<App | null> {
  return db.lookUp(APPS, id);
}

/** The same for a text from outside. */
export async function lookUpNamedApp(db: Lookups, text: string): Promise<App | null> {
  const id = appIdFrom(text);
  return id && lookUpApp(db, id);
}

/** The same, but null for a deleted app, which players and developers do not reach any more. */
export async function lookUpLivingApp(db: Lookups, id: AppId): Promise<App | null> {
  const app = await lookUpApp(db, id);
  return app?.deletedAt ? null : app;
}

/** The same for a text from outside, such as a `client_id`. */
export async function lookUpNamedLivingApp(db: Lookups, text: string): Promise<App | null> {
  const id = appIdFrom(text);
  return id && lookUpLivingApp(db, id);
}

export async function findApps({ query }: Queries, ids: readonly AppId[]): Promise<Map<AppId, App>> {
  if (ids.length === 0) return new Map();
  const rows = await query<App>(`SELECT ${COLUMNS} FROM apps WHERE id = ANY($1)`, [[...new Set(ids)]]);
  return new Map(rows.map((row) => [row.id, row]));
}

export async function readApps({ query }: Queries): Promise<App[]> {
  return query<App>(`SELECT ${COLUMNS} FROM apps ORDER BY created_at, id`);
}

/**
 * Locks an app that is not deleted. Whatever else locks it waits until the transaction ends, so its owner and members stay as they are.
 * Null if there is no such app.
 */
export async function lockApp({ query }: Tx, id: AppId): Promise<Pick<App, 'ownerId' | 'suspendedAt'> | null> {
  const [app] = await query<Pick<App, 'ownerId' | 'suspendedAt'>>(
    `SELECT owner_id AS "ownerId", suspended_at AS "suspendedAt" FROM apps
      WHERE id = $1 AND deleted_at IS NULL FOR NO KEY UPDATE`,
    [id],
  );
  return app ?? null;
}

/**
 * Which of these apps are not deleted, and whether they are suspended. None of them can be deleted until the transaction ends. Whoever makes
 * something that belongs to an app (a guest, a token, a request, a spending limit) calls this first, so that deleting the app ends that too.
 * Nothing else waits.
 */
export async function holdLivingApps(
  { query }: Tx,
  ids: readonly AppId[],
): Promise<ReadonlyMap<AppId, Pick<App, 'suspendedAt'>>> {
  const rows = await query<Pick<App, 'id' | 'suspendedAt'>>(
    'SELECT id, suspended_at AS "suspendedAt" FROM apps WHERE id = ANY($1) AND deleted_at IS NULL ORDER BY id FOR KEY SHARE',
    [[...new Set(ids)]],
  );
  return new Map(rows.map((app) => [app.id, app]));
}

/** The apps that a developer owns, oldest first. */
export async function listAppsOf({ query }: Queries, ownerId: UserId): Promise<App[]> {
  return query<App>(`SELECT ${COLUMNS} FROM apps WHERE owner_id = $1 AND deleted_at IS NULL ORDER BY created_at, id`, [
    ownerId,
  ]);
}

/** The apps that a developer owns or is a member of, with the role, oldest first. */
export async function listAppsWithRole(
  { query }: Queries,
  userId: UserId,
): Promise<(App & { readonly role: AppRole })[]> {
  return query(
    `SELECT ${COLUMNS}, role FROM apps JOIN (
       SELECT id AS app_id, 'owner' AS role FROM apps WHERE owner_id = $1
       UNION ALL SELECT app_id, role FROM app_members WHERE user_id = $1) AS own ON own.app_id = id
      WHERE deleted_at IS NULL ORDER BY created_at, id`,
    [userId],
  );
}

/**
 * How many living apps a developer owns; null if their account is closed. Until the transaction ends, nobody can register another one for them or
 * close their account.
 */
export async function lockAppCount({ query }: Tx, ownerId: UserId): Promise<number | null> {
  const [owner] = await query(`SELECT 1 FROM users WHERE id = $1 AND kind = 'full' FOR NO KEY UPDATE`, [ownerId]);
  if (!owner) return null;
  return (await query('SELECT FROM apps WHERE owner_id = $1 AND deleted_at IS NULL', [ownerId])).length;
}

/** What an app's developer may change. */
export type AppDetails = Pick<App, 'name' | 'redirectUris' | 'frameAncestors' | 'resultOrigins' | 'topUpUrl'>;

/** If its developer changes the name, the app is not verified any more. The operator's changes keep the verification. */
export async function storeDetails(
  { query }: Queries,
  id: AppId,
  { name, redirectUris, frameAncestors, resultOrigins, topUpUrl }: AppDetails,
  by: 'developer' | 'operator',
): Promise<void> {
  await query(
    `UPDATE apps SET name = $2, redirect_uris = $3, frame_ancestors = $4, result_origins = $5, top_up_url = $6,
                     verified_at = CASE WHEN $7 OR name = $2 THEN verified_at END
      WHERE id = $1`,
    [id, name, redirectUris, frameAncestors, resultOrigins, topUpUrl, by === 'operator'],
  );
}

/** Marks an app as verified by the operator; null if there is none. Verifying it again changes nothing. */
export async function storeVerified({ query }: Queries, id: AppId): Promise<App | null> {
  const [row] = await query<App>(
    `UPDATE apps SET verified_at = coalesce(verified_at, now())
      WHERE id = $1 AND deleted_at IS NULL RETURNING ${COLUMNS}`,
    [id],
  );
  return row ?? null;
}

/** Null if there is no such app. */
export async function endVerification({ query }: Queries, id: AppId): Promise<App | null> {
  const [row] = await query<App>(`UPDATE apps SET verified_at = NULL WHERE id = $1 RETURNING ${COLUMNS}`, [id]);
  return row ?? null;
}

/** The names of verified apps, except that of `except`. */
export async function listVerifiedNames({ query }: Queries, except: AppId | null): Promise<string[]> {
  const rows = await query<{ name: string }>(
    'SELECT name FROM apps WHERE verified_at IS NOT NULL AND id IS DISTINCT FROM $1',
    [except],
  );
  return rows.map(({ name }) => name);
}

export async function storeOwner({ query }: Queries, id: AppId, ownerId: UserId): Promise<void> {
  await query('UPDATE apps SET owner_id = $2 WHERE id = $1', [id, ownerId]);
}

/**
 * Marks a locked app as deleted, which ends its verification and auto approval. It waits for all who make something for the app
 * ({@link holdLivingApps}), and for foreign keys to it that are just being written; whoever comes later finds the app deleted.
 */
export async function storeDeletion({ query }: Tx, id: AppId): Promise<void> {
  await query('SELECT FROM apps WHERE id = $1 FOR UPDATE', [id]);
  await query(
    `UPDATE apps SET deleted_at = now(), verified_at = NULL, auto_approve = false, auto_approve_requested_at = NULL WHERE id = $1`,
    [id],
  );
}
