import { type Address, parseAddress } from '../../../base/address.ts';
import { inTime } from '../../../base/in-time.ts';
import { Problem } from '../../../base/problems.ts';
import type { Quarters } from '../../../base/quarters.ts';
import { readBalances } from '../../../chain/balances.ts';
import { readHeader } from '../../../chain/blocks.ts';
import { readBalanceWei } from '../../../chain/state.ts';
import { type Account, findAccounts } from '../../../ledger/accounts.ts';
import { listOutsidePostings, type OutsidePosting, type PostingPosition } from '../../../ledger/postings.ts';
import type { Service } from '../../../service/service.ts';
import { type AddressOwner, type Owners, ownersOf } from '../../../views/inspection/address-owners.ts';

/** An Ethereum address: one of ours, or one that quarters came from or went to, or any other. */
export type InspectedAddress = {
  readonly address: Address;
  readonly owner: AddressOwner;
  /** Null if the ledger has never seen it. */
  readonly account: Account | null;
  /** What the node says it has at its newest block; null if it does not answer. */
  readonly onChain: { readonly quarters: Quarters; readonly wei: bigint } | null;
  /** What went to it and came from it without an app on the other side, newest first. */
  readonly postings: readonly OutsidePosting[];
  /** Where the next page begins; null at the end. */
  readonly next: PostingPosition | null;
  readonly owners: Owners;
};

const PER_PAGE = 25;

/** An address for an operator. `typed` may be unchecked input. Throws `not-found` if it is no address. */
export async function inspectAddress(
  service: Pick<Service, 'reads' | 'rpc' | 'chain'>,
  typed: string,
  before: PostingPosition | null = null,
): Promise<InspectedAddress> {
  const { reads } = service;
  const address = parseAddress(typed);
  if (!address) throw new Problem('not-found', `"${typed}" is no address, or its checksum is wrong.`);
  const [[account], { postings: found }, onChain] = await Promise.all([
    findAccounts(reads, { addresses: [address] }),
    listOutsidePostings(reads, [address], before, PER_PAGE + 1, {}, PER_PAGE + 1),
    inTime(balanceOnChain(service, address)),
  ]);
  const postings = found.slice(0, PER_PAGE);
  const owners = await ownersOf(service, [address, ...postings.map(({ otherAddress }) => otherAddress)]);
  return {
    ...{ address, postings, onChain, owners },
    owner: owners.get(address)!,
    account: account ?? null,
    next: found.length > PER_PAGE ? postings.at(-1)!.position : null,
  };
}

async function balanceOnChain(
  { rpc, chain }: Pick<Service, 'rpc' | 'chain'>,
  address: Address,
): Promise<{ quarters: Quarters; wei: bigint }> {
  const [head, wei] = await Promise.all([readHeader(rpc, 'latest'), readBalanceWei(rpc, address)]);
  if (!head) throw new Error('The chain node has no blocks');
  const [quarters] = await readBalances(rpc, chain.contracts.token, head.hash, [address]);
  return { quarters: quarters!, wei };
}
