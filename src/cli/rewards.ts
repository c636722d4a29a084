import type { Column } from '../base/columns.ts';
import { asQuarters, type Quarters } from '../base/quarters.ts';
import type { Reward } from '../ledger/rewards.ts';
import { REWARD_COLUMNS } from '../views/inspection/found-columns.ts';
import { addActionCommands } from './action-commands.ts';
import { type CliCommand, type CliContext, type OutputOptions, print, withService } from './command.ts';
import { formatTable, jsonAmount, readableAmount } from './format.ts';

export function addRewardsCommands(program: CliCommand, context: CliContext): void {
  const rewards = program.command('rewards').description('Grant players quarters to spend, paid by the treasury.');
  addActionCommands(rewards, context);
  rewards
    .command('list')
    .description("List a user's rewards and what is left of each.")
    .argument('<user>', "a user id or the address of the user's account")
    .json()
    .examples('rewards list b7Kq2LxT9mVwR4sN8cYzE1hJ5uPa')
    .action(async (text: string, options: OutputOptions) => {
      const { listRewards, rewardJson } = await import('../features/rewards/rewards.ts');
      const { user, rewards } = await withService(context, (service) => listRewards(service, text));
      const unclaimed = asQuarters(rewards.reduce((sum, { left }) => sum + left, 0n));
      const json = { userId: user.id, unclaimed: jsonAmount(unclaimed), rewards: rewards.map(rewardJson) };
      print(context, options, json, listText(rewards, unclaimed));
    });
}

function listText(rewards: readonly Reward[], unclaimed: Quarters): string {
  if (rewards.length === 0) return 'This user has no rewards yet.\n';
  const { granted, quarters, left, source } = REWARD_COLUMNS;
  const columns: Column<Reward>[] = [
    ...[granted, quarters, left, source],
    { label: 'App', value: ({ appId }) => appId },
    { label: 'Reward', value: ({ id }) => id },
  ];
  const table = formatTable(columns, rewards);
  return `${table}\n${readableAmount(unclaimed)} to spend\n`;
}
