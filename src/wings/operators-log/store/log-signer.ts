import { createPublicKey, verify } from 'node:crypto';
import { loadOrCreateKey, type PublicKey, publicKeyOf, signToken } from '../../../custody/signing-keys.ts';
import type { Vault } from '../../../custody/vault.ts';
import type { Database } from '../../../db/database.ts';

/** What a signature of the operator's log says: this installation's entry `sequence` had this hash (64 hex digits). */
export type SignedLogPlace = {
  /** The service's public origin. */
  readonly iss: string;
  readonly chainId: number;
  /** The token's address, which no other installation has on that chain. */
  readonly token: string;
  readonly sequence: number;
  readonly hash: string;
};

/** `head`: the newest entry. `checkpoint`: the last entry that pruning deleted. */
type PlaceKind = 'head' | 'checkpoint';

/** Signs places in the operator's log as compact JWS (RFC 7515) with ES256, and reads them back. */
export type LogSigner = {
  sign(kind: PlaceKind, place: SignedLogPlace): string;
  /** What a signature of ours says, and when it was made; null if it is not ours, not of that kind, or altered. */
  read(kind: PlaceKind, signature: string): (SignedLogPlace & { readonly iat: number }) | null;
  readonly publicKeys: { readonly keys: readonly PublicKey[] };
};

/**
 * Opens the key that signs the operator's log. The first use creates it. It signs nothing else, and `typ` says so (RFC 8725,
 * section 3.11).
 */
export async function openLogSigner(db: Database, vault: Vault): Promise<LogSigner> {
  const signingKey = await loadOrCreateKey(db, vault, 'operator-log');
  const publicKey = createPublicKey(signingKey.key);
  return {
    sign: (kind, place) => signToken(signingKey, typeOf(kind), place),
    read(kind, signature) {
      const [header = '', payload = '', signed = ''] = signature.split('.');
      const { alg, typ, kid } = decode(header) ?? {};
      // Nothing is chosen by the header: it must name what we would have written.
      if (alg !== 'ES256' || typ !== typeOf(kind) || kid !== signingKey.kid) return null;
      const key = { key: publicKey, dsaEncoding: 'ieee-p1363' } as const;
      const isOurs = verify('sha256', Buffer.from(`${header}.${payload}`), key, Buffer.from(signed, 'base64url'));
      return isOurs ? (decode(payload) as unknown as SignedLogPlace & { iat: number }) : null;
    },
    publicKeys: { keys: [publicKeyOf(signingKey)] },
  };
}

const typeOf = (kind: PlaceKind) => `quarters-log-${kind}+jwt`;

function decode(part: string): Record<string, unknown> | null {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString());
  } catch {
    return null;
  }
}
