import type { Evm } from './evm.ts';

/** Chosen with `QUARTERS_TEST_NODE=edr-op` or `anvil-op`: the node follows the rules of the OP Stack. */
export const isOnOp = process.env.QUARTERS_TEST_NODE?.endsWith('-op') ?? false;

const L1_BLOCK = '0x4200000000000000000000000000000000000015';
const NOBODY = `0x${'0'.repeat(40)}`;
const GWEI = 10n ** 9n;

/**
 * From now on the node takes something beside gas. What it is stands in the storage of the contract `L1Block`. EDR comes with the scalars
 * at another place, which makes it nothing, and anvil without the contract. The scalars are OP Mainnet's. Slots: specs.optimism.io, L1
 * attributes since Ecotone, and the operator's fee of Isthmus.
 */
export async function askForL1(node: Pick<Evm, 'rpc'>, { l1BaseFee = 10n * GWEI } = {}): Promise<void> {
  const slots = [
    [1, l1BaseFee],
    [3, (5_227n << 96n) | (1_014_213n << 64n)],
    [7, GWEI],
    // Three wei for each thousand gas, and a constant.
    [8, (3_000n << 64n) | 123_456n],
  ] as const;
  for (const [slot, value] of slots) {
    await node.rpc('anvil_setStorageAt', [L1_BLOCK, `0x${slot}`, `0x${value.toString(16).padStart(64, '0')}`]);
  }
  // Both nodes take it for a mere call too, from the sender that has no name. Rollups do not.
  await node.rpc('anvil_setBalance', [NOBODY, `0x${(10n ** 30n).toString(16)}`]);
}
