import type { Address } from '../../base/address.ts';
import { toChecksum } from '../../base/address.ts';
import type { Hash } from '../../base/hex.ts';

/** The block explorer's address of a transaction. Null: the operator named no explorer. `template`: `EXPLORER_URL`. */
export function transactionLink(template: string | undefined, hash: Hash): string | null {
  return template?.replace('{tx}', hash) ?? null;
}

/** Its address of an account. Explorers share `/tx/…` and `/address/…` (EIP-3091). Null: this one does not. */
export function addressLink(template: string | undefined, address: Address): string | null {
  return template?.endsWith('/tx/{tx}') ? template.replace('/tx/{tx}', `/address/${toChecksum(address)}`) : null;
}
