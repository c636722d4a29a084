import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomUUID,
  sign,
  type webcrypto,
} from 'node:crypto';
import type { Hash } from '../base/hex.ts';
import type { AppId, RequestId, UserId } from '../base/ids.ts';
import type { Database } from '../db/database.ts';
import type { SealedRows } from '../db/sealed-rows.ts';
import type { Vault } from './vault.ts';

/** Issues `firebase_token`s: JWTs with the claims of a Firebase custom token (`uid`). */
export type PageTokenIssuer = { issue(userId: UserId): string };

/**
 * Opens the key that signs guests' page tokens. The first start creates it. It signs nothing else, and `typ` says so (RFC
 * 8725, section 3.11), so its tokens cannot pass for ID tokens or signed results.
 *
 * A token opens a page only because its hash is stored (`identity/guest-tokens.ts`). No algorithm is read from a token, so a
 * token that was made elsewhere opens nothing, whatever its signature. Older tokens, signed with RS256 by the key
 * `firebase-token`, open pages until they expire.
 *
 * `issuer` is the service's public origin.
 */
export async function openPageTokenIssuer(db: Database, vault: Vault, issuer: string): Promise<PageTokenIssuer> {
  const signingKey = await loadOrCreateKey(db, vault, 'page-token');
  return {
    issue(userId) {
      // No `exp`: the token lives as long as the guest, and every use checks the database.
      const claims = { uid: userId, iss: issuer, sub: issuer, aud: `${issuer}/requests`, jti: randomUUID() };
      return signToken(signingKey, 'quarters-page+jwt', claims);
    },
  };
}

/** What a proof says about a decided request. */
export type ProvenResult = {
  readonly outcome: 'approved' | 'declined' | 'failed';
  readonly requestId: RequestId;
  readonly txId?: Hash;
};

/** Signs results for games, so that they can verify that we sent them. */
export type ResultSigner = {
  /** Signs for one app. Returns a compact JWS (RFC 7515), which is safe in a URL. */
  sign(audience: AppId, result: ProvenResult): Promise<string>;
  /** The keys that games verify results with (RFC 7517). */
  readonly publicKeys: { readonly keys: PublicKey[] };
};

/** On the curve P-256 (RFC 7518, section 6.2.1). */
export type PublicKey = Readonly<Record<'kty' | 'crv' | 'x' | 'y' | 'kid' | 'use' | 'alg', string>>;

/**
 * Opens the key that signs results. The first start creates it. It signs nothing else, and `typ` says so (RFC 8725, section
 * 3.11), so results, ID tokens and page tokens cannot pass for each other.
 *
 * `issuer` is the service's public origin.
 */
export async function openResultSigner(db: Database, vault: Vault, issuer: string): Promise<ResultSigner> {
  const signingKey = await loadOrCreateKey(db, vault, 'result');
  return {
    async sign(audience, result) {
      return signToken(signingKey, 'quarters-result+jwt', { ...result, iss: issuer, aud: audience });
    },
    publicKeys: { keys: [publicKeyOf(signingKey)] },
  };
}

/**
 * A JWT (RFC 7519) that says when it was issued, as a compact JWS (RFC 7515) with ES256 (RFC 7518, section 3.4). A signature by
 * WebCrypto goes through the thread pool and costs twice as much.
 */
export function signToken({ kid, key }: SigningKey, typ: string, claims: object): string {
  const iat = Math.floor(Date.now() / 1000);
  const input = [
    { alg: 'ES256', typ, kid },
    { ...claims, iat },
  ]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  const signature = sign('sha256', Buffer.from(input), { key, dsaEncoding: 'ieee-p1363' });
  return `${input}.${signature.toString('base64url')}`;
}

/** The public half of a key on the curve P-256. */
export function publicKeyOf({ kid, key }: SigningKey): PublicKey {
  const { kty = '', crv = '', x = '', y = '' } = createPublicKey(key).export({ format: 'jwk' });
  return { kty, crv, x, y, kid, use: 'sig', alg: 'ES256' };
}

type SigningKey = { readonly kid: string; readonly key: KeyObject };

/**
 * Each purpose has its own key, so that no signature can serve another purpose. Older databases also hold a key for
 * `firebase-token`, which no longer signs anything.
 */
type Purpose = 'page-token' | 'oauth' | 'result' | 'operator-log';

const p256 = () => generateKeyPairSync('ec', { namedCurve: 'P-256' });

/** Creates each purpose's key. Results travel in URLs and guests come in thousands, so those signatures are short and fast. */
const MAKE: Readonly<Record<Purpose, () => { privateKey: KeyObject }>> = {
  'page-token': p256,
  oauth: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
  result: p256,
  'operator-log': p256,
};

/** Loads the key for one purpose. The first start creates it; the vault seals it. */
export async function loadOrCreateKey(db: Database, vault: Vault, purpose: Purpose): Promise<SigningKey> {
  const select = () =>
    db.query<{ kid: string; sealed: Buffer }>('SELECT kid, sealed_key AS sealed FROM signing_keys WHERE purpose = $1', [
      purpose,
    ]);
  let [row] = await select();
  if (!row) {
    const kid = randomUUID();
    const { privateKey } = MAKE[purpose]();
    const sealed = vault.seal(privateKey.export({ format: 'der', type: 'pkcs8' }), `signing key ${kid}`);
    // If two processes start for the first time at once, one insert wins and both read that row.
    await db.query(
      'INSERT INTO signing_keys (kid, purpose, sealed_key) VALUES ($1, $2, $3) ON CONFLICT (purpose) DO NOTHING',
      [kid, purpose, sealed],
    );
    [row] = await select();
  }
  if (!row) throw new Error(`The signing key for ${purpose} could not be stored`);
  const der = vault.unseal(row.sealed, `signing key ${row.kid}`);
  return { kid: row.kid, key: createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }) };
}

/** Whether any key exists. A start creates the first ones after the contracts are deployed. */
export async function hasSigningKeys({ query }: Pick<Database, 'query'>): Promise<boolean> {
  return (await query('SELECT FROM signing_keys LIMIT 1')).length > 0;
}

/** A JWK (RFC 7517) with the fields that name a key and its use. */
type NamedJwk = webcrypto.JsonWebKey & Readonly<Record<'kid' | 'use' | 'alg', string>>;

/** Loads the key for ID tokens as a private JWK (RFC 7517). The OAuth provider publishes its public half. */
export async function loadIdTokenKey(db: Database, vault: Vault): Promise<NamedJwk> {
  const { kid, key } = await loadOrCreateKey(db, vault, 'oauth');
  return { ...key.export({ format: 'jwk' }), kid, use: 'sig', alg: 'RS256' };
}

/** The keys themselves, which stay the same. */
export const SEALED_SIGNING_KEYS: SealedRows = {
  list: ({ query }, key, after, most) =>
    query(
      `SELECT kid AS id, sealed_key AS sealed, 'signing key ' || kid AS context FROM signing_keys
        WHERE substring(sealed_key FOR 4) <> $1 AND kid > $2 ORDER BY kid LIMIT $3`,
      [key, after, most],
    ),
  async replace({ query }, values) {
    for (const { id, sealed, anew } of values) {
      await query('UPDATE signing_keys SET sealed_key = $3 WHERE kid = $1 AND sealed_key = $2', [id, sealed, anew]);
    }
  },
};
