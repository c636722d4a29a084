import { randomBytes } from 'node:crypto';
import { privateKeyToAddress } from 'viem/accounts';
import { asAddress } from '../../../src/base/address.ts';
import { bytesToHex } from '../../../src/base/hex.ts';
import { localMasterKey } from '../../../src/custody/master-key.ts';
import { createUserKey } from '../../../src/custody/new-keys.ts';
import type { ToSign } from '../../../src/custody/sign-many.ts';
import { openVault, type Vault } from '../../../src/custody/vault.ts';
import type { Database } from '../../../src/db/database.ts';

/** A vault whose one data key and seed are in memory instead of tables. */
export async function memoryVault(seed: Uint8Array = randomBytes(32)): Promise<Vault> {
  const masterKey = localMasterKey(randomBytes(32));
  const dataKeys = [{ id: 1, wrapped: await masterKey.wrap(randomBytes(32), 'data key') }];
  const seeds = [{ wrapped: await masterKey.wrap(seed, 'seed') }];
  const query = async (text: string) => (text.includes('FROM seed') ? seeds : dataKeys);
  return openVault(
    { transaction: (work: (tx: object) => unknown) => work({ query }) } as unknown as Database,
    masterKey,
  );
}

/** An account as they were before keys were derived: a random key, sealed for its address. */
export function sealedAccount(vault: Vault): Omit<ToSign, 'digest'> {
  const key = randomBytes(32);
  const address = asAddress(privateKeyToAddress(bytesToHex(key)));
  return { address, storedKey: vault.seal(key, `account ${address}`) };
}

/** Random digests, which as many new accounts as given sign in turn. Every second account has a sealed key. */
export function digestsToSign(vault: Vault, count: number, accounts: number): ToSign[] {
  const keys = Array.from({ length: accounts }, (_, i) => {
    if (i % 2 === 1) return sealedAccount(vault);
    const { address, keyId } = createUserKey(vault);
    return { address, storedKey: keyId };
  });
  return Array.from({ length: count }, (_, i) => ({ ...keys[i % accounts]!, digest: randomBytes(32) }));
}
