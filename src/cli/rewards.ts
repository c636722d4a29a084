import type { Column } from '../base/columns.ts';
import { asQuarters } from '../base/quarters.ts';
import type { Reward } from '../ledger/rewards.ts';
import { REWARD_COLUMNS } from '../views/inspection/found-columns.ts';
import { addActionCommands } from './action-commands.ts';
import type { CliCommand } from './command.ts';
import { readableAmount } from './format.ts';
import { listed } from './reading.ts';
import { parseUser } from './values.ts';

const { granted, quarters, left, source } = REWARD_COLUMNS;

const COLUMNS: readonly Column<Reward>[] = [
  ...[granted, quarters, left, source],
  { label: 'App', value: ({ appId }) => appId },
  { label: 'Reward', value: ({ id }) => id },
];

export function addRewardsCommands(program: CliCommand): void {
  const rewards = program.command('rewards').description('Grant players quarters to spend, paid by the treasury.');
  addActionCommands(rewards);
  rewards
    .command('list')
    .description("List a user's rewards and what is left of each.")
    .argument('<user>', "a user id or the address of the user's account", parseUser)
    .examples('rewards list b7Kq2LxT9mVwR4sN8cYzE1hJ5uPa')
    .prints(async (service, text: string) => {
      const { listRewards, rewardJson } = await import('../features/rewards/rewards.ts');
      const { user, rewards } = await listRewards(service, text);
      const unclaimed = asQuarters(rewards.reduce((sum, { left }) => sum + left, 0n));
      const json = { userId: user.id, unclaimed, rewards: rewards.map(rewardJson) };
      const list = listed(json, COLUMNS, rewards, { none: 'This user has no rewards yet.' });
      return rewards.length === 0 ? list : { ...list, text: `${list.text}\n${readableAmount(unclaimed)} to spend\n` };
    });
}
