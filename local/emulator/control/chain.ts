import type { BlockMode } from '../blocks.ts';
import type { Emulator } from '../emulator.ts';
import { type Reorganization, reorganize } from '../reorganize.ts';
import { type Control, object } from './control.ts';

const GWEI = 1_000_000_000;

/** Done when the service has seen it. */
async function seen({ world }: Emulator, change: () => Promise<void> | void): Promise<undefined> {
  await change();
  await world.follow();
  return undefined;
}

export const CHAIN_CONTROLS: readonly Control[] = [
  {
    operationId: 'setBlocks',
    method: 'POST',
    path: '/chain/blocks',
    says: 'Says when blocks are made: as soon as a transaction waits, on command only, or one in so many milliseconds.',
    input: object(
      {
        mode: {
          oneOf: [
            { enum: ['instant', 'manual'] },
            { type: 'integer', minimum: 10, maximum: 600_000, description: 'Milliseconds' },
          ],
        },
      },
      ['mode'],
    ),
    run: async ({ world }, { mode }: { mode: BlockMode }) => {
      await world.blocks.setMode(mode);
      return undefined;
    },
  },
  {
    operationId: 'mine',
    method: 'POST',
    path: '/chain/mine',
    says: 'Makes blocks, of which the first has all transactions that wait. Answers when the service has seen them.',
    input: object({ blocks: { type: 'integer', minimum: 1, maximum: 1_000, default: 1 } }),
    run: (emulator, { blocks }: { blocks: number }) =>
      seen(emulator, async () => {
        // What was accepted a moment ago is with the node by then.
        await emulator.world.follow();
        await emulator.world.blocks.mine(blocks);
      }),
  },
  {
    operationId: 'reorganize',
    method: 'POST',
    path: '/chain/reorganize',
    says: 'Replaces the newest blocks by others with the same transactions, but for those left out, and later ones of their senders. The service sends these again.',
    input: object(
      {
        depth: { type: 'integer', minimum: 1 },
        without: { type: 'array', items: { type: 'string', pattern: '^0x[0-9a-f]{64}$' }, description: 'txIds' },
      },
      ['depth'],
    ),
    run: async ({ world }, given: Reorganization) => {
      await reorganize(world, given);
      return undefined;
    },
  },
  {
    operationId: 'setFees',
    method: 'POST',
    path: '/chain/fees',
    says: 'Sets what a unit of gas costs, in gwei, from a block on that is made at once. Null: as the chain has it.',
    input: object({ gwei: { type: ['number', 'null'], minimum: 0.001, maximum: 1_000_000 } }, ['gwei']),
    run: (emulator, { gwei }: { gwei: number | null }) =>
      seen(emulator, async () => {
        const { blocks } = emulator.world;
        blocks.setBaseFee(gwei === null ? null : BigInt(Math.round(gwei * GWEI)));
        await blocks.mine(1);
      }),
  },
  {
    operationId: 'chainDown',
    method: 'POST',
    path: '/chain/down',
    says: 'Cuts the service off from its node, until chain/up.',
    run: (emulator) =>
      seen(emulator, () => {
        emulator.world.gate.isOpen = false;
      }),
  },
  {
    operationId: 'chainUp',
    method: 'POST',
    path: '/chain/up',
    says: 'Connects the service with its node again.',
    run: (emulator) =>
      seen(emulator, () => {
        emulator.world.gate.isOpen = true;
      }),
  },
];
