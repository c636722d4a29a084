import { createPrivateKey, generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto';
import type { JWK } from 'jose';
import type { Database } from '../db/database.ts';
import type { Vault } from './vault.ts';

/**
 * Each purpose has its own key, so that no signature can serve another purpose. Older databases also hold a key for
 * `firebase-token`, which no longer signs anything.
 */
type Purpose = 'page-token' | 'oauth' | 'result';

const p256 = () => generateKeyPairSync('ec', { namedCurve: 'P-256' });

/** Creates each purpose's key. Results travel in URLs and guests come in thousands, so those signatures are short and fast. */
const MAKE: Readonly<Record<Purpose, () => { privateKey: KeyObject }>> = {
  'page-token': p256,
  oauth: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
  result: p256,
};

/** Loads the key for one purpose. The first start creates it; the vault seals it. */
export async function loadOrCreateKey(
  db: Database,
  vault: Vault,
  purpose: Purpose,
): Promise<{ readonly kid: string; readonly key: KeyObject }> {
  const select = () =>
    db.query<{ kid: string; sealed_key: Buffer }>('SELECT kid, sealed_key FROM signing_keys WHERE purpose = $1', [
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
  const der = vault.unseal(row.sealed_key, `signing key ${row.kid}`);
  return { kid: row.kid, key: createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }) };
}

/** Whether any key exists. A start creates the first ones after the contracts are deployed. */
export async function hasSigningKeys({ query }: Pick<Database, 'query'>): Promise<boolean> {
  return (await query('SELECT FROM signing_keys LIMIT 1')).length > 0;
}

/** Loads the key for ID tokens as a private JWK (RFC 7517). The OAuth provider publishes its public half. */
export async function loadIdTokenKey(db: Database, vault: Vault): Promise<JWK> {
  const { kid, key } = await loadOrCreateKey(db, vault, 'oauth');
  return { ...key.export({ format: 'jwk' }), kid, use: 'sig', alg: 'RS256' };
}
