import { randomBytes } from 'node:crypto';
import type { AppId, UserId } from '../base/ids.ts';
import { byteaText, type Lookup, type Lookups, type Query } from '../db/database.ts';
import { NO_REDIRECT } from './clients.ts';
import { hashId, storeRecord } from './records.ts';

export type AccessTokenUse = {
  readonly userId: UserId;
  readonly appId: AppId;
  /** Space-separated. */
  readonly scope: string;
  readonly expired: boolean;
  /** The app is suspended, so the token does nothing. */
  readonly isSuspended: boolean;
};

type StoredToken = Omit<AccessTokenUse, 'expired'> & { readonly expiresAt: Date };

/** By the texts of their hashes. */
const ACCESS_TOKENS: Lookup<StoredToken> = async ({ query }, hashes) => {
  const rows = await query<StoredToken & { readonly hash: Buffer }>(
    `SELECT hash, user_id AS "userId", client_id AS "appId", coalesce(payload->>'scope', '') AS scope, expires_at AS "expiresAt",
            suspended_at IS NOT NULL AS "isSuspended"
       FROM oauth_records JOIN apps ON apps.id = client_id
      WHERE model = 'AccessToken' AND hash = ANY($1::bytea[]) AND user_id IS NOT NULL AND client_id IS NOT NULL`,
    [hashes],
  );
  return new Map(rows.map(({ hash, ...token }) => [byteaText(hash), token]));
};

/** The user, app and scopes of an access token; null if it is unknown or revoked. */
export async function findAccessToken(db: Lookups, secret: string): Promise<AccessTokenUse | null> {
  const token = await db.lookUp(ACCESS_TOKENS, byteaText(hashId(secret)));
  if (!token) return null;
  const { expiresAt, ...use } = token;
  return { ...use, expired: expiresAt <= new Date() };
}

/** Codes must be short-lived (RFC 6749, section 4.1.2). */
export const CODE_SECONDS = 60;
/** Tokens extend it. A grant that leads to no token ends soon. */
export const NEW_GRANT_SECONDS = 600;

export type NewCode = {
  readonly userId: UserId;
  readonly appId: AppId;
  /** Space-separated. */
  readonly scopes: string;
  /** The registered address it is sent to; left out if it is not sent by redirect. */
  readonly redirectUri?: string;
  /** S256 (RFC 7636). Without one, redeeming the code needs the client's secret. */
  readonly codeChallenge?: string;
  /** The code itself, if a repeated call must give the same one: URL-safe, with 256 secret bits. Random if left out. */
  readonly code?: string;
};

/**
 * Stores an authorization code and its grant, as the provider would, and returns the code. Call it in the transaction of the change
 * that the code is for.
 */
export async function insertCode(db: { readonly query: Query }, code: NewCode): Promise<string> {
  const { userId: accountId, appId: clientId, scopes: scope, codeChallenge } = code;
  const id = code.code ?? randomBytes(32).toString('base64url');
  const grantId = randomBytes(32).toString('base64url');
  const iat = Math.floor(Date.now() / 1000);
  const after = (seconds: number) => new Date((iat + seconds) * 1000);
  await storeRecord(
    db,
    'Grant',
    grantId,
    { kind: 'Grant', iat, accountId, clientId, openid: { scope } },
    after(NEW_GRANT_SECONDS),
  );
  await storeRecord(
    db,
    'AuthorizationCode',
    id,
    {
      kind: 'AuthorizationCode',
      iat,
      accountId,
      clientId,
      grantId,
      scope,
      authTime: iat,
      redirectUri: code.redirectUri ?? NO_REDIRECT,
      ...(codeChallenge !== undefined && { codeChallenge, codeChallengeMethod: 'S256' }),
    },
    after(CODE_SECONDS),
  );
  return id;
}
