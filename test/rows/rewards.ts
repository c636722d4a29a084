import { changing, insertRows, type Queries } from './statements.ts';

export const changeRewards = changing<{ readonly amount: number; readonly claimed: number }>('rewards');
export const changeRewardClaims = changing<{ readonly amount: number }>('reward_claims');

/** Records that these requests have earned a reward under each of these rules. */
export function insertEarnedRewardRows(
  db: Queries,
  sources: readonly ('welcome' | 'share')[],
  requestIds: readonly string[],
): Promise<void> {
  return insertRows(
    db,
    'earned_rewards',
    sources.flatMap((source) => requestIds.map((requestId) => ({ source, requestId }))),
  );
}
