import { toChecksum } from '../base/address.ts';
import { formatEthers } from '../base/quarters.ts';
import { listActiveRelayers } from '../chain/relayers.ts';
import type { Rpc } from '../chain/rpc.ts';
import { readBalanceWei } from '../chain/state.ts';
import { gasFor } from '../chain/token.ts';
import type { Log } from '../service/service.ts';
import type { Engine } from './engine.ts';
import { limitsOf } from './gas-limits.ts';
import type { EnsureGas } from './prepare-chain.ts';

/** Refuses to start with an account that has no ether. The message says which to fund. */
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
      'the relayers have ether for gas',
    );
  };
}

type Rollup = Pick<Engine['settlement'], 'rollupFee'>;

/** Whether a relayer with so much ether can pay for a transaction, and for `LOW_GAS_TRANSACTIONS` of them. */
export function gasState(
  wei: bigint,
  { settings, settlement }: Pick<Engine, 'settings'> & { readonly settlement: Parameters<typeof limitsOf>[0] & Rollup },
): 'ok' | 'low' | 'empty' {
  // A node requires the balance for the fee ceiling, although the transaction takes less, and for what a rollup asks for.
  const { gas, fees } = limitsOf(settlement, gasFor(settings.transfersPerTransaction));
  const perTransaction = gas * fees.maxFeePerGas + settlement.rollupFee;
  if (wei < perTransaction) return 'empty';
  return wei < perTransaction * BigInt(settings.lowGasTransactions) ? 'low' : 'ok';
}

/**
 * Checks whether the relayers can pay for gas: `low` is a warning, `empty` makes `/readyz` red. No transfer is lost:
 * they are stored, wait, and are sent when ether arrives.
 */
export async function watchGas(engine: Engine): Promise<void> {
  const { db, rpc, settlement, meters, log } = engine;
  const relayers = await listActiveRelayers(db);
  const balances = await Promise.all(relayers.map(({ address }) => readBalanceWei(rpc, address)));
  const ours = new Set(settlement.leases.map(({ address }) => address));
  for (const [i, { address }] of relayers.entries()) meters.seeWei(address, balances[i]!, ours.has(address));
  const states = balances.map((wei) => gasState(wei, engine));
  const worst = states.includes('empty') ? 'empty' : states.includes('low') ? 'low' : 'ok';
  if (worst !== settlement.gas && worst !== 'ok') {
    const short = relayers.flatMap(({ address }, i) =>
      states[i] === 'ok' ? [] : [`${toChecksum(address)} ${formatEthers(balances[i]!)} ether`],
    );
    log[worst === 'empty' ? 'error' : 'warn']({ relayers: short }, `gas is ${worst}: send ether to these accounts`);
  }
  settlement.gas = worst;
}
