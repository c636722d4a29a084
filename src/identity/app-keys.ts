import { bytesToHex } from '../base/hex.ts';
import type { AppId } from '../base/ids.ts';
import { Problem } from '../base/problems.ts';
import { asQuarters, type Quarters } from '../base/quarters.ts';
import { hashSecret, newSecret } from '../base/secrets.ts';
import { byteaText, type Lookup, type Lookups, type Queries, type Tx } from '../db/database.ts';
import { KEY_ID_PATTERN, KEY_SCOPES, type KeyScope, USUAL_KEY_SCOPES } from './key-scopes.ts';

/** The most a server API key may move in a day (UTC), of each kind. Null means no cap. */
export type KeyCaps = {
  /** Paid from the app's account, including refunds. */
  readonly payPerDay: Quarters | null;
  /** Requested from players with the scope `create-requests`. */
  readonly askPerDay: Quarters | null;
  /** Approved with the scope `approve-requests`. */
  readonly approvePerDay: Quarters | null;
};

/** Scopes that need a cap, since the key then acts for players who are not asked, or not yet. */
export const CAPPED_SCOPES = {
  'create-requests': 'askPerDay',
  'approve-requests': 'approvePerDay',
} as const satisfies Partial<Record<KeyScope, keyof KeyCaps>>;

/** `server`: server API keys. `client`: OAuth client secrets. */
export type KeyKind = 'server' | 'client';

/** Two, so that a new one can be deployed everywhere before the old one is revoked. */
export const MAX_LIVING_KEYS = 2;

/** A key or secret as its owner sees it. */
export type AppKey = KeyCaps & {
  /** Names it without giving access: the first 16 hex digits of its hash. */
  readonly id: string;
  readonly kind: KeyKind;
  /** What its owner calls it; empty if nothing. */
  readonly name: string;
  /** Its last four characters. */
  readonly ending: string;
  /** Only server API keys have scopes. */
  readonly scopes: readonly KeyScope[];
  readonly createdAt: Date;
  /** To the hour. Null: no use of it is known. */
  readonly lastUsedAt: Date | null;
  readonly revokedAt: Date | null;
};

/** The id of the key that has this hash. */
export function keyIdOf(hash: Uint8Array): string {
  return bytesToHex(hash.subarray(0, 8)).slice(2);
}

/**
 * An app's keys, oldest first. `living`: without revoked ones. During an upgrade, a process of an earlier release may make a key with the
 * former scope `auto-approve`, which is left out.
 */
export async function listKeys({ query }: Queries, appId: AppId, { living }: { living: boolean }): Promise<AppKey[]> {
  const rows = await query<AppKey>(
    `SELECT encode(substring(hash FOR 8), 'hex') AS id, kind, name, ending, scopes, pay_per_day AS "payPerDay", ask_per_day AS "askPerDay",
            approve_per_day AS "approvePerDay", created_at AS "createdAt", last_used_at AS "lastUsedAt", revoked_at AS "revokedAt"
       FROM app_keys WHERE app_id = $1 AND (revoked_at IS NULL OR NOT $2) ORDER BY created_at, hash`,
    [appId, living],
  );
  return rows.map((row) => ({ ...row, scopes: row.scopes.filter((scope) => Object.hasOwn(KEY_SCOPES, scope)) }));
}

export type ServerKey = {
  readonly appId: AppId;
  readonly hash: Buffer;
  readonly scopes: readonly KeyScope[];
  readonly payPerDay: Quarters | null;
  /** Its app is suspended, so the key does nothing. */
  readonly isSuspended: boolean;
  /** No use of it was stored in the last hour. */
  readonly isUseDue: boolean;
};

/** A use is stored at most once an hour: a read must not become a write. */
const IS_USE_DUE = `coalesce(last_used_at < now() - interval '1 hour', true)`;

/** By the texts of their hashes. */
const SERVER_KEYS: Lookup<ServerKey> = async ({ query }, hashes) => {
  const rows = await query<ServerKey>(
    `SELECT app_id AS "appId", hash, scopes, pay_per_day AS "payPerDay", suspended_at IS NOT NULL AS "isSuspended",
            ${IS_USE_DUE} AS "isUseDue"
       FROM app_keys JOIN apps ON apps.id = app_id WHERE hash = ANY($1::bytea[]) AND kind = 'server' AND revoked_at IS NULL`,
    [hashes],
  );
  return new Map(rows.map((row) => [byteaText(row.hash), row]));
};

/** The app and the rights of a server API key, whose use is stored; null if it is unknown or revoked. */
export async function useServerKey(db: Lookups & Queries, secret: string): Promise<ServerKey | null> {
  const key = await db.lookUp(SERVER_KEYS, byteaText(hashSecret(secret)));
  if (key?.isUseDue && !key.isSuspended) await storeUse(db, key.hash);
  return key;
}

/**
 * A call waits for no lock here, and is not refused because its use cannot be stored, as while the database takes no writes. A later call
 * stores it then.
 */
async function storeUse({ query }: Queries, hash: Uint8Array): Promise<void> {
  await query(
    `WITH due AS (SELECT hash FROM app_keys WHERE hash = $1 AND ${IS_USE_DUE} FOR NO KEY UPDATE SKIP LOCKED)
     UPDATE app_keys SET last_used_at = now() FROM due WHERE app_keys.hash = due.hash`,
    [hash],
  ).catch(() => {});
}

export type NewKey = { readonly name?: string } & (
  | ({ readonly kind: 'server'; readonly scopes: readonly KeyScope[] } & Pick<KeyCaps, 'payPerDay'> & Partial<KeyCaps>)
  | { readonly kind: 'client' }
);

export const MAX_KEY_NAME_CHARACTERS = 60;

/** Normalises a key's name to one line, which may be empty; null if it is too long, or holds what nobody could see. */
export function keyNameFrom(text: string): string | null {
  const name = text.normalize('NFC').replace(/\s+/gu, ' ').trim();
  if ([...name].length > MAX_KEY_NAME_CHARACTERS || /[^\P{C}\u200c\u200d]/u.test(name)) return null;
  return name === '' || /[\p{L}\p{N}\p{P}\p{S}]/u.test(name) ? name : null;
}

/** A server API key with the usual scopes, and without a cap. */
export const USUAL_KEY: NewKey & { readonly kind: 'server' } = {
  kind: 'server',
  scopes: USUAL_KEY_SCOPES,
  payPerDay: null,
};

/** The first server API key of an app in development mode: it does what the README, the tutorial and the client library show. */
export const DEVELOPMENT_KEY: NewKey & { readonly kind: 'server' } = {
  kind: 'server',
  scopes: ['guests', 'pay', 'create-requests', 'webhooks'],
  payPerDay: null,
  askPerDay: asQuarters(100_000),
};

/** A client secret does not call the API. */
const CLIENT_SECRET = { scopes: [], payPerDay: null, askPerDay: null, approvePerDay: null };

/**
 * Issues a server API key or a client secret. Returns it this once, as only its hash is stored. Throws `limit-reached` if the app has two
 * of that kind.
 */
export async function insertKey({ query }: Tx, appId: AppId, key: NewKey): Promise<string> {
  // The second of two concurrent calls waits here and then counts the first.
  const [app] = await query('SELECT FROM apps WHERE id = $1 AND deleted_at IS NULL FOR NO KEY UPDATE', [appId]);
  if (!app) throw new Problem('not-found', 'There is no such app.');
  const living = await query('SELECT FROM app_keys WHERE app_id = $1 AND kind = $2 AND revoked_at IS NULL', [
    appId,
    key.kind,
  ]);
  if (living.length >= MAX_LIVING_KEYS) {
    const what = key.kind === 'server' ? 'server API keys' : 'client secrets';
    throw new Problem('limit-reached', `The app already has two active ${what}. Revoke one first.`);
  }
  const secret = newSecret(key.kind === 'server' ? 'server key' : 'client secret');
  const { scopes, payPerDay, askPerDay, approvePerDay } = key.kind === 'server' ? key : CLIENT_SECRET;
  await query(
    `INSERT INTO app_keys (hash, app_id, kind, name, ending, scopes, pay_per_day, ask_per_day, approve_per_day)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [
      hashSecret(secret),
      appId,
      key.kind,
      key.name ?? '',
      secret.slice(-4),
      scopes,
      payPerDay,
      askPerDay ?? null,
      approvePerDay ?? null,
    ],
  );
  return secret;
}

/** Revokes a key at once, by its {@link AppKey} id. False if the app has no such key, or it is revoked already. */
export async function endKey({ query }: Queries, appId: AppId, keyId: string): Promise<boolean> {
  if (!new RegExp(KEY_ID_PATTERN).test(keyId)) return false;
  const rows = await query(
    `UPDATE app_keys SET revoked_at = now()
      WHERE app_id = $1 AND encode(substring(hash FOR 8), 'hex') = $2 AND revoked_at IS NULL RETURNING 1`,
    [appId, keyId],
  );
  return rows.length > 0;
}

/** Revokes all keys of an app that is being deleted. */
export async function endKeysFor({ query }: Tx, appId: AppId): Promise<void> {
  await query(
    `WITH living AS (
       SELECT hash FROM app_keys WHERE app_id = $1 AND revoked_at IS NULL ORDER BY hash FOR NO KEY UPDATE)
     UPDATE app_keys SET revoked_at = now() FROM living WHERE app_keys.hash = living.hash`,
    [appId],
  );
}

/** Whether this is a client secret of the app (RFC 6749, section 2.3.1) and not revoked. If so, its use is stored. */
export async function useClientSecret(db: Queries, appId: AppId, secret: string): Promise<boolean> {
  const hash = hashSecret(secret);
  const [found] = await db.query<Pick<ServerKey, 'isUseDue'>>(
    `SELECT ${IS_USE_DUE} AS "isUseDue" FROM app_keys WHERE hash = $1 AND app_id = $2 AND kind = 'client' AND revoked_at IS NULL`,
    [hash, appId],
  );
  if (found?.isUseDue) await storeUse(db, hash);
  return found !== undefined;
}
