import { toChecksum } from '../base/address.ts';
import { formatEthers } from '../base/ether.ts';
import { type Rpc, toQuantity } from '../chain/rpc.ts';
import { readBalanceWei } from '../chain/state.ts';
import type { EnsureGas } from './prepare-chain.ts';
import type { Log } from './service.ts';

const ETHER = 10n ** 18n;

/** On our own development chain: gives every relayer more ether than it can use. */
export function giveEther(rpc: Rpc): EnsureGas {
  return async (addresses) => {
    for (const address of addresses) await rpc.call('anvil_setBalance', [address, toQuantity(1_000_000n * ETHER)]);
  };
}

/** On any other chain: refuses to start with an account that has no ether, and the message says which to fund. */
export function requireEther(rpc: Rpc, log: Log): EnsureGas {
  return async (addresses) => {
    const balances = await Promise.all(addresses.map((address) => readBalanceWei(rpc, address)));
    const empty = addresses.filter((_, i) => balances[i] === 0n).map(toChecksum);
    if (empty.length > 0) {
      throw new Error(
        `These accounts pay for gas and have no ether: ${empty.join(', ')}. Send them some and start again.`,
      );
    }
    log.info(
      { relayers: addresses.map((address, i) => `${toChecksum(address)} ${formatEthers(balances[i]!)}`) },
      'gas',
    );
  };
}
