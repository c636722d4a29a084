import type { Address } from '../base/address.ts';
import { toChecksum } from '../base/address.ts';
import type { Hash } from '../base/hex.ts';

/** Where a block explorer shows a transaction; null where the operator has named none. `template`: `EXPLORER_URL`. */
export function transactionLink(template: string | undefined, hash: Hash): string | null {
  return template?.replace('{tx}', hash) ?? null;
}

/** Where it shows an account: explorers agree on `/tx/…` and `/address/…` (EIP-3091); null for one that does not. */
export function addressLink(template: string | undefined, address: Address): string | null {
  return template?.endsWith('/tx/{tx}') ? template.replace('/tx/{tx}', `/address/${toChecksum(address)}`) : null;
}
