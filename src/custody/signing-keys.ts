import { createPrivateKey, generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto';
import type { JWK } from 'jose';
import type { Database } from '../db/database.ts';
import type { Vault } from './vault.ts';

/**
 * Each purpose has a key of its own: what one signs can never pass for what another has signed. Databases from before `page-token` hold one for
 * `firebase-token` as well, with which nothing is signed any more.
 */
type Purpose = 'page-token' | 'oauth' | 'result';

const p256 = () => generateKeyPairSync('ec', { namedCurve: 'P-256' });

/** How the key of each purpose is made. Results travel in addresses and guests are made by the thousand: their signatures are short and quick. */
const MAKE: Readonly<Record<Purpose, () => { privateKey: KeyObject }>> = {
  'page-token': p256,
  oauth: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
  result: p256,
};

/** The key that signs for one purpose, made at the first start and sealed by the vault. */
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
    // Two processes at a first start: one insert wins, both read the winner.
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

/** Whether there is any. A start makes the first ones when it has seen the contracts deployed. */
export async function hasSigningKeys({ query }: Pick<Database, 'query'>): Promise<boolean> {
  return (await query('SELECT FROM signing_keys LIMIT 1')).length > 0;
}

/** The key of ID tokens, as a private JWK (RFC 7517): for the provider, which publishes its public half. */
export async function loadIdTokenKey(db: Database, vault: Vault): Promise<JWK> {
  const { kid, key } = await loadOrCreateKey(db, vault, 'oauth');
  return { ...key.export({ format: 'jwk' }), kid, use: 'sig', alg: 'RS256' };
}
