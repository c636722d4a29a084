import { randomBytes } from 'node:crypto';
import { localMasterKey } from '../../../src/custody/master-key.ts';
import type { ToSign } from '../../../src/custody/sign-many.ts';
import { createKey } from '../../../src/custody/signer.ts';
import { openVault, type Vault } from '../../../src/custody/vault.ts';
import type { Database } from '../../../src/db/database.ts';

/** A vault whose one data key is in memory instead of a table. */
export async function memoryVault(): Promise<Vault> {
  const masterKey = localMasterKey(randomBytes(32));
  const rows = [{ id: 1, wrapped: await masterKey.wrap(randomBytes(32)) }];
  const query = async () => rows;
  return openVault(
    { transaction: (work: (tx: object) => unknown) => work({ query }) } as unknown as Database,
    masterKey,
  );
}

/** Random digests, which as many new accounts as given sign in turn. */
export function digestsToSign(vault: Vault, count: number, accounts: number): ToSign[] {
  const keys = Array.from({ length: accounts }, () => createKey(vault));
  return Array.from({ length: count }, (_, i) => ({ ...keys[i % accounts]!, digest: randomBytes(32) }));
}
