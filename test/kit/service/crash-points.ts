import { currentTier } from '../run/tier.ts';
import type { KillPoint } from './crash-service.ts';

type When = KillPoint['when'];

export const commit = (when: When, match: string, nth = 1): KillPoint => ({ at: 'commit', when, match, nth });
export const alone = (when: When, match: string): KillPoint => ({ at: 'statement alone', when, match });
export const inTransaction = (when: When, match: string): KillPoint => ({
  at: 'statement in a transaction',
  when,
  match,
});
/** Around a call that sends transactions to the node. */
export const broadcast = (when: When, nth = 1): KillPoint => ({
  at: 'call of the chain',
  when,
  match: '"eth_sendRawTransaction"',
  nth,
});

/**
 * A kill at any statement of a transaction leaves the same state as a kill right before its COMMIT, and the state
 * between two steps is the same after the first as before the second. The usual tier takes the `usual` cases, one of
 * each class: before a COMMIT, after one, around a call. `npm run test:all`, or CRASH_ALL=1, takes all of them.
 */
export function crashCases<T>(
  usual: Readonly<Record<string, T>>,
  further: Readonly<Record<string, T>>,
): Record<string, T> {
  const isAll = process.env.CRASH_ALL === '1' || currentTier() === 'all';
  return isAll ? { ...usual, ...further } : { ...usual };
}
