import { createPublicKey } from 'node:crypto';
import { SignJWT } from 'jose';
import type { Hash } from '../base/hex.ts';
import type { AppId, RequestId } from '../base/ids.ts';
import type { Database } from '../db/database.ts';
import { loadOrCreateKey } from './signing-keys.ts';
import type { Vault } from './vault.ts';

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
type PublicKey = Readonly<Record<'kty' | 'crv' | 'x' | 'y' | 'kid' | 'use' | 'alg', string>>;

/**
 * Opens the key that signs results. The first start creates it. It signs nothing else, and `typ` says so (RFC 8725, section
 * 3.11), so results, ID tokens and page tokens cannot pass for each other.
 *
 * `issuer` is the service's public origin.
 */
export async function openResultSigner(db: Database, vault: Vault, issuer: string): Promise<ResultSigner> {
  const { kid, key } = await loadOrCreateKey(db, vault, 'result');
  const { kty = '', crv = '', x = '', y = '' } = createPublicKey(key).export({ format: 'jwk' });
  return {
    sign(audience, result) {
      return new SignJWT({ ...result })
        .setProtectedHeader({ alg: 'ES256', typ: 'quarters-result+jwt', kid })
        .setIssuer(issuer)
        .setAudience(audience)
        .setIssuedAt()
        .sign(key);
    },
    publicKeys: { keys: [{ kty, crv, x, y, kid, use: 'sig', alg: 'ES256' }] },
  };
}
