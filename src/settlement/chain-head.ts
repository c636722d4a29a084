import type { BlockHeader } from '../chain/blocks.ts';
import { firstFees, GWEI } from '../chain/fees.ts';
import type { Service, Settlement } from './service.ts';

/** Stores what signing needs from the newest block: its number, how much fits into a block, what gas costs. */
export function updateChainHead(
  {
    settings,
    settlement,
  }: Pick<Service, 'settings'> & { settlement: Pick<Settlement, 'head' | 'headHash' | 'blockGasLimit' | 'fees'> },
  head: BlockHeader,
): void {
  settlement.head = head.number;
  settlement.headHash = head.hash;
  settlement.blockGasLimit = head.gasLimit;
  settlement.fees = firstFees(
    head.baseFeePerGas,
    BigInt(settings.priorityFeeGwei) * GWEI,
    BigInt(settings.maxFeePerGasGwei) * GWEI,
  );
}
