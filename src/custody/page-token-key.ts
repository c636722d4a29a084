import { randomUUID } from 'node:crypto';
import { SignJWT } from 'jose';
import type { UserId } from '../base/ids.ts';
import type { Database } from '../db/database.ts';
import { loadOrCreateKey } from './signing-keys.ts';
import type { Vault } from './vault.ts';

/** Makes `firebase_token`s: JWTs with the claims of a Firebase custom token (`uid`). */
export type PageTokenIssuer = { issue(userId: UserId): Promise<string> };

/**
 * Opens the key that signs guests' page tokens, making it at the first start. It signs nothing else, and `typ` says so (RFC 8725, section
 * 3.11): what it signs cannot pass for an ID token or a signed result.
 *
 * What opens a page is that the token's hash is stored (`identity/guest-tokens.ts`): no algorithm is read from a token, and none that was
 * made elsewhere opens anything, whatever it is signed with. So older tokens, signed with RS256 by the key `firebase-token`, open pages until
 * they end.
 *
 * `issuer`: the service's public origin.
 */
export async function openPageTokenIssuer(db: Database, vault: Vault, issuer: string): Promise<PageTokenIssuer> {
  const { kid, key } = await loadOrCreateKey(db, vault, 'page-token');
  return {
    issue(userId) {
      // No `exp`: the token lives as long as the guest, and the database is asked at every use.
      return new SignJWT({ uid: userId })
        .setProtectedHeader({ alg: 'ES256', typ: 'quarters-page+jwt', kid })
        .setIssuer(issuer)
        .setSubject(issuer)
        .setAudience(`${issuer}/requests`)
        .setJti(randomUUID())
        .setIssuedAt()
        .sign(key);
    },
  };
}
