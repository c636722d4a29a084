import { asQuarters } from '../../src/base/quarters.ts';
import { issueQuarters } from '../../src/features/payments/issue-quarters.ts';
import { Refused } from './refused.ts';
import type { World } from './world.ts';

/** Refuses at once what would wait for ever: nobody makes the blocks that bring these quarters. Mining here would bring the game's payments, too. */
export function requireArrival({ gate, blocks }: World, quarters: number): void {
  if (quarters === 0) return;
  if (!gate.isOpen)
    throw new Refused('The chain is down, so the quarters could not arrive. Bring it up, or ask for 0.');
  if (blocks.mode() === 'manual') {
    throw new Refused(
      'Blocks are made by hand, so the quarters could not arrive. Set blocks to instant, or ask for 0.',
    );
  }
}

/** Issues quarters to an app or a user. Resolves when they can be spent. */
export async function fund({ service, settled }: World, recipient: string, quarters: number): Promise<void> {
  if (quarters === 0) return;
  await issueQuarters(service, { recipient, amount: asQuarters(quarters) });
  await settled();
}
