import { randomUUID } from 'node:crypto';
import { SignJWT } from 'jose';
import type { UserId } from '../base/ids.ts';
import type { Database } from '../db/database.ts';
import { loadOrCreateKey } from './signing-keys.ts';
import type { Vault } from './vault.ts';

/** Makes `firebase_token`s: JWTs in the form of a Firebase custom token (RS256, `uid`). */
export type PageTokenIssuer = { issue(userId: UserId): Promise<string> };

/**
 * Opens the key that signs guests' page tokens, making it at the first start. The key serves this purpose only: what it
 * signs can never pass for an ID token or a signed result.
 *
 * `issuer`: the service's public origin.
 */
export async function openPageTokenIssuer(db: Database, vault: Vault, issuer: string): Promise<PageTokenIssuer> {
  const { kid, key } = await loadOrCreateKey(db, vault, 'firebase-token');
  return {
    issue(userId) {
      // No `exp`: the token lives as long as the guest, and the database is asked at every use.
      return new SignJWT({ uid: userId })
        .setProtectedHeader({ alg: 'RS256', typ: 'JWT', kid })
        .setIssuer(issuer)
        .setSubject(issuer)
        .setAudience(`${issuer}/requests`)
        .setJti(randomUUID())
        .setIssuedAt()
        .sign(key);
    },
  };
}
