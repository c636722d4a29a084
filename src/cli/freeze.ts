import type { Command } from 'commander';
import { type CliContext, example, JSON_OPTION, print, withService } from './command.ts';
import { YES_OPTION } from './confirm.ts';
import { type ActOptions, REASON_OPTION } from './reason.ts';

const USER_ARGUMENT = ['<user>', "a user id or the address of the user's account"] as const;

/** `users freeze` and `unfreeze`. */
export function addFreezeCommands(users: Command, context: CliContext): void {
  users
    .command('freeze')
    .description('Stop everything that a user would pay. They can still sign in and receive.')
    .argument(...USER_ARGUMENT)
    .requiredOption(...REASON_OPTION)
    .option(...YES_OPTION)
    .option(...JSON_OPTION)
    .addHelpText('after', example("users freeze b7Kq2LxT9mVwR4sN8cYzE1hJ5uPa --reason 'Account taken over'"))
    .action(async (user: string, options: ActOptions) => {
      const { act } = await import('./perform.ts');
      const asked = { kind: 'freeze-user', params: { user }, question: 'Freeze this user?', mustConfirm: true };
      await withService(context, (service) => act(context, options, service, asked));
      print(context, options, { user, frozen: true }, `Frozen: ${user}. Nothing more is paid from this account.\n`);
    });
  users
    .command('unfreeze')
    .description('Let a frozen user pay again.')
    .argument(...USER_ARGUMENT)
    .requiredOption(...REASON_OPTION)
    .option(...YES_OPTION)
    .option(...JSON_OPTION)
    .addHelpText('after', example("users unfreeze b7Kq2LxT9mVwR4sN8cYzE1hJ5uPa --reason 'Proved who they are'"))
    .action(async (user: string, options: ActOptions) => {
      const { act } = await import('./perform.ts');
      const asked = { kind: 'unfreeze-user', params: { user }, question: 'Unfreeze this user?', mustConfirm: true };
      await withService(context, (service) => act(context, options, service, asked));
      print(context, options, { user, frozen: false }, `No longer frozen: ${user}.\n`);
    });
}
