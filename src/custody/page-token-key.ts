import { randomUUID } from 'node:crypto';
import { SignJWT } from 'jose';
import type { UserId } from '../base/ids.ts';
import type { Database } from '../db/database.ts';
import { loadOrCreateKey } from './signing-keys.ts';
import type { Vault } from './vault.ts';

/** Issues `firebase_token`s: JWTs with the claims of a Firebase custom token (`uid`). */
export type PageTokenIssuer = { issue(userId: UserId): Promise<string> };

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
  const { kid, key } = await loadOrCreateKey(db, vault, 'page-token');
  return {
    issue(userId) {
      // No `exp`: the token lives as long as the guest, and every use checks the database.
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
