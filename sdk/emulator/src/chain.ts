import type { Call } from './calls.ts';

export function chainOf(call: Call) {
  return {
    /** When blocks are made: at once for each transaction, by `mine` alone, or every so many milliseconds. */
    blocks: (mode: 'instant' | 'manual' | number): Promise<void> => call('setBlocks', { mode }),
    mine: (blocks = 1): Promise<void> => call('mine', { blocks }),
    /** Replaces the newest blocks by others, which lack the transactions of `without`. */
    reorganize: (depth: number, { without = [] }: { readonly without?: readonly string[] } = {}): Promise<void> =>
      call('reorganize', { depth, without }),
    /** What a unit of gas costs from now on. Null: as the chain has it. */
    fees: (gwei: number | null): Promise<void> => call('setFees', { gwei }),
    /** The service cannot reach its node. */
    down: (): Promise<void> => call('chainDown', {}),
    up: (): Promise<void> => call('chainUp', {}),
  };
}
