import { createPublicKey } from 'node:crypto';
import { SignJWT } from 'jose';
import type { Hash } from '../base/hex.ts';
import type { AppId, RequestId } from '../base/ids.ts';
import type { Database } from '../db/database.ts';
import { loadOrCreateKey } from './signing-keys.ts';
import type { Vault } from './vault.ts';

/** What a proof says of a request that was decided. */
export type ProvenResult = {
  readonly outcome: 'approved' | 'declined' | 'failed';
  readonly requestId: RequestId;
  readonly txId?: Hash;
};

/** Signs what games are told, so that they can tell our word from anybody else's. */
export type ResultSigner = {
  /** For one app: a compact JWS (RFC 7515), which is safe in an address as it is. */
  sign(audience: AppId, result: ProvenResult): Promise<string>;
  /** What games verify it with (RFC 7517). */
  readonly publicKeys: { readonly keys: PublicKey[] };
};

/** On the curve P-256 (RFC 7518, section 6.2.1). */
type PublicKey = Readonly<Record<'kty' | 'crv' | 'x' | 'y' | 'kid' | 'use' | 'alg', string>>;

/**
 * Opens the key that signs results, making it at the first start. It signs nothing else, and `typ` says so (RFC 8725, section
 * 3.11): a result can not pass for an ID token or a guest's page token, nor they for it.
 *
 * `issuer`: the service's public origin.
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
