import { type Address, ZERO_ADDRESS } from '../../base/address.ts';
import type { AppId, UserId } from '../../base/ids.ts';
import { listRelayers } from '../../chain/relayers.ts';
import { type Account, byAddressNow, findAccounts } from '../../ledger/accounts.ts';
import type { Service } from '../../service/service.ts';

/** Whose an address is. `contract`: one of ours. `source`: the zero address, which all quarters come from. */
export type AddressOwner =
  | { readonly kind: 'user'; readonly userId: UserId }
  | { readonly kind: 'app'; readonly appId: AppId }
  | { readonly kind: 'treasury' | 'relayer' | 'contract' | 'source' | 'outside' };

export type Owners = ReadonlyMap<Address, AddressOwner>;

/** Whose these addresses are, each once. */
export async function ownersOf(
  { reads, chain }: Pick<Service, 'reads' | 'chain'>,
  addresses: readonly Address[],
): Promise<Owners> {
  const wanted = [...new Set(addresses)];
  if (wanted.length === 0) return new Map();
  const [accounts, relayers] = await Promise.all([findAccounts(reads, { addresses: wanted }), listRelayers(reads)]);
  const accountOf = await byAddressNow(reads, accounts);
  const { token, settlement } = chain.contracts;
  const ownerOf = (address: Address): AddressOwner => {
    if (address === ZERO_ADDRESS) return { kind: 'source' };
    if (address === token || address === settlement) return { kind: 'contract' };
    if (relayers.some((relayer) => relayer.address === address)) return { kind: 'relayer' };
    return ownerOfAccount(accountOf.get(address) ?? null);
  };
  return new Map(wanted.map((address) => [address, ownerOf(address)]));
}

function ownerOfAccount(account: Account | null): AddressOwner {
  if (account?.userId) return { kind: 'user', userId: account.userId };
  if (account?.appId) return { kind: 'app', appId: account.appId };
  return { kind: account?.kind === 'treasury' ? 'treasury' : 'outside' };
}
