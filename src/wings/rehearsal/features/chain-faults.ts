import type { Address } from '../../../base/address.ts';
import { readBalances } from '../../../chain/balances.ts';
import { readHeader } from '../../../chain/blocks.ts';
import { toQuantity } from '../../../chain/rpc.ts';
import type { Service } from '../../../service/service.ts';

// What the node of a try-out can be told to do. No other node takes these calls.

/** Takes back this block and all later ones. Blocks without transactions replace them. */
export async function reorganizeAway({ rpc }: Pick<Service, 'rpc'>, block: bigint): Promise<void> {
  const head = BigInt(await rpc.call<string>('eth_blockNumber', []));
  await rpc.call('anvil_reorg', [Number(head - block) + 1, []]);
}

/** Runs `work` while the token refuses to pay for an account, because its contract does not have the quarters. */
export async function whileTokenRefuses(
  { rpc, chain }: Pick<Service, 'rpc' | 'chain'>,
  from: Address,
  work: () => Promise<void>,
): Promise<void> {
  const { token } = chain.contracts;
  const balance = async () => {
    const head = await readHeader(rpc, 'latest');
    return (await readBalances(rpc, token, head!.hash, [from]))[0]!;
  };
  const deal = (quarters: bigint) => rpc.call('anvil_dealERC20', [from, token, toQuantity(quarters)]);
  const kept = await balance();
  await deal(0n);
  try {
    await work();
  } finally {
    // Somebody may have paid the account meanwhile.
    await deal(kept + (await balance()));
  }
}
