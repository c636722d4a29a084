import type { Address } from '../../src/base/address.ts';
import { openKey } from '../../src/custody/signer.ts';
import type { Vault } from '../../src/custody/vault.ts';
import { changing, type Queries } from './statements.ts';
import { earlier } from './times.ts';

const changeDataKeys = changing<{ readonly sealsSince: Date | null }>('data_keys');

/** Makes data keys seal that much longer. */
export const ageDataKeys = (db: Queries, age: string) =>
  changeDataKeys(db, {}, { sealsSince: earlier('sealsSince', age) });

const READS = {
  accounts: 'SELECT address, key_id AS key FROM accounts WHERE key_id IS NOT NULL',
  relayers: 'SELECT address, key_id AS key FROM relayers WHERE key_id IS NOT NULL',
} as const;
const WRITES = {
  accounts: 'UPDATE accounts SET key_id = NULL, sealed_key = $2 WHERE address = $1',
  relayers: 'UPDATE relayers SET key_id = NULL, sealed_key = $2 WHERE address = $1',
} as const;

/** Makes the keys of accounts, or of relayers, those from before: random for all anybody knows, and sealed. Left out: of all. */
export async function sealKeys(
  { query }: Queries,
  vault: Vault,
  table: keyof typeof READS,
  only?: readonly string[],
): Promise<void> {
  for (const { address, key } of await query<{ address: Address; key: Buffer }>(READS[table])) {
    if (only && !only.includes(address)) continue;
    await query(WRITES[table], [address, vault.seal(openKey(vault, address, key), `account ${address}`)]);
  }
}
