import { toChecksum } from '../base/address.ts';
import { formatEthers } from '../base/ether.ts';
import { listRelayers } from '../chain/relayers.ts';
import { readBalanceWei } from '../chain/state.ts';
import { gasFor } from '../chain/token.ts';
import type { Service } from './service.ts';

/**
 * Checks whether the relayers can pay for gas: `low` is a warning, `empty` makes `/readyz` red. No transfer is lost:
 * they are stored, wait, and are sent when ether arrives.
 */
export async function watchGas({ db, rpc, settings, settlement, log }: Service): Promise<void> {
  // A node requires the balance for the fee ceiling, although the transaction takes less.
  const perTransaction = gasFor(settings.transfersPerTransaction) * settlement.fees.maxFeePerGas;
  const relayers = await listRelayers(db);
  const balances = await Promise.all(relayers.map(({ address }) => readBalanceWei(rpc, address)));
  const states = balances.map((wei) => {
    if (wei < perTransaction) return 'empty';
    return wei < perTransaction * BigInt(settings.lowGasTransactions) ? 'low' : 'ok';
  });
  const worst = states.includes('empty') ? 'empty' : states.includes('low') ? 'low' : 'ok';
  if (worst !== settlement.gas && worst !== 'ok') {
    const short = relayers.flatMap(({ address }, i) =>
      states[i] === 'ok' ? [] : [`${toChecksum(address)} ${formatEthers(balances[i]!)} ether`],
    );
    log[worst === 'empty' ? 'error' : 'warn']({ relayers: short }, `gas is ${worst}: send ether to these accounts`);
  }
  settlement.gas = worst;
}
