import type { Service } from '../../../src/service/service.ts';
import { assertHoldsAreTransfers } from './audit.ts';

const LOOK_EVERY_MS = 50;

/**
 * Checks the ledger all the time: each account's hold is the sum of its transfers on their way, and all balances with
 * the zero address sum to zero. `stop` resolves with the number of checks, or throws the first difference.
 */
export function watchHolds({ db }: Pick<Service, 'db'>): { stop(): Promise<number> } {
  let stopped = false;
  let looks = 0;
  let failure: unknown;
  const watching = (async () => {
    while (!stopped && !failure) {
      try {
        await assertHoldsAreTransfers({ db });
        const [sum] = await db.query<{ posted: bigint }>(
          'SELECT coalesce(sum(posted), 0)::bigint AS posted FROM accounts',
        );
        if (sum!.posted !== 0n) throw new Error(`The ledger is out of balance by ${sum!.posted}`);
        looks++;
      } catch (error) {
        failure = error;
      }
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    }
  })();
  return {
    async stop() {
      stopped = true;
      await watching;
      if (failure) throw failure;
      return looks;
    },
  };
}
