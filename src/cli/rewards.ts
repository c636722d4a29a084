import type { Command } from 'commander';
import { asQuarters, type Quarters, withThousands } from '../base/quarters.ts';
import type { Reward } from '../ledger/rewards.ts';
import {
  type CliContext,
  example,
  JSON_OPTION,
  type OutputOptions,
  parseAmount,
  print,
  withService,
} from './command.ts';
import { YES_OPTION } from './confirm.ts';
import { formatFacts, formatTable, jsonAmount, readableAmount, readableTime } from './format.ts';
import { type ActOptions, REASON_OPTION } from './reason.ts';

export function addRewardsCommands(program: Command, context: CliContext): void {
  const rewards = program.command('rewards').description('Grant players quarters to spend, paid by the treasury.');
  rewards
    .command('grant')
    .description("Grant a reward, applied automatically to the player's next payments. Full users only.")
    .argument('<user>', "a user id or the address of the user's account")
    .argument('<quarters>', 'a whole number, digits only', parseAmount)
    .option('--key <key>', 'idempotency key: the same key grants only once')
    .option(...REASON_OPTION)
    .option(...YES_OPTION)
    .option(...JSON_OPTION)
    .addHelpText(
      'after',
      example(
        'rewards grant 0x52908400098527886E0F7030069857D2E4169EE7 100',
        'rewards grant b7Kq2LxT9mVwR4sN8cYzE1hJ5uPa 250 --key tournament-12',
      ),
    )
    .action(async (user: string, amount: Quarters, { key, ...options }: ActOptions & { readonly key?: string }) => {
      const { act } = await import('./perform.ts');
      const { listRewards } = await import('../features/rewards/rewards.ts');
      const { granted, replayed } = await withService(context, async (service) => {
        const { action, replayed } = await act(context, options, service, {
          kind: 'grant-reward',
          params: { user, quarters: jsonAmount(amount), ...(key !== undefined && { key }) },
          key: key === undefined ? undefined : { text: key, hours: null },
          question: 'Grant this reward?',
        });
        const { rewards } = await listRewards(service, user);
        const granted = rewards.find(({ id }) => id === action.result?.reward)!;
        return { granted, replayed: replayed || action.result?.replayed === true };
      });
      const text = formatFacts([
        [replayed ? 'Already granted' : 'Granted', readableAmount(granted.amount)],
        ['To', granted.userId],
        ['Reward', granted.id],
        ['Left', readableAmount(granted.left)],
      ]);
      print(context, options, describe(granted), text);
    });
  rewards
    .command('list')
    .description("List a user's rewards and what is left of each.")
    .argument('<user>', "a user id or the address of the user's account")
    .option(...JSON_OPTION)
    .addHelpText('after', example('rewards list b7Kq2LxT9mVwR4sN8cYzE1hJ5uPa'))
    .action(async (text: string, options: OutputOptions) => {
      const { listRewards } = await import('../features/rewards/rewards.ts');
      const { user, rewards } = await withService(context, (service) => listRewards(service, text));
      const unclaimed = asQuarters(rewards.reduce((sum, { left }) => sum + left, 0n));
      const json = { userId: user.id, unclaimed: jsonAmount(unclaimed), rewards: rewards.map(describe) };
      print(context, options, json, listText(rewards, unclaimed));
    });
}

function describe({ id, userId, amount, left, source, key, appId, grantedAt }: Reward) {
  return {
    id,
    userId,
    quarters: jsonAmount(amount),
    left: jsonAmount(left),
    source,
    key,
    appId,
    grantedAt: grantedAt.toISOString(),
  };
}

function listText(rewards: readonly Reward[], unclaimed: Quarters): string {
  if (rewards.length === 0) return 'This user has no rewards yet.\n';
  const table = formatTable(
    [
      { title: 'GRANTED' },
      { title: 'QUARTERS', align: 'right' },
      { title: 'LEFT', align: 'right' },
      { title: 'SOURCE' },
      { title: 'APP' },
      { title: 'REWARD' },
    ],
    rewards.map(({ grantedAt, amount, left, source, appId, id }) => [
      readableTime(grantedAt),
      withThousands(amount),
      withThousands(left),
      source,
      appId ?? '-',
      id,
    ]),
  );
  return `${table}\n${readableAmount(unclaimed)} to spend\n`;
}
