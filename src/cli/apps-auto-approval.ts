import type { Command } from 'commander';
import type { AppId } from '../base/ids.ts';
import { disableAutoApproval } from '../usecases/operator/disable-auto-approval.ts';
import { enableAutoApproval } from '../usecases/operator/enable-auto-approval.ts';
import { example, JSON_OPTION, type OutputOptions, print, withService } from './command.ts';
import type { CliContext } from './context.ts';

export function addAutoApprovalCommands(apps: Command, context: CliContext): void {
  const autoApproval = apps
    .command('auto-approval')
    .description('Whether players may let an app take quarters without asking each time.');
  autoApproval
    .command('enable')
    .description(
      'Let players allow it. Who approved a payment to the app before is taken at their word, and told by mail.',
    )
    .argument('<app>', "the app's id")
    .option(...JSON_OPTION)
    .addHelpText('after', example('apps auto-approval enable 7Qm2xVb9KcRt4LpWz8Yd'))
    .action(async (id: string, options: OutputOptions) => {
      const { granted } = await withService(context, (service) => enableAutoApproval(service, id as AppId));
      const players = granted === 1 ? '1 player' : `${granted} players`;
      const text = `Auto approval is enabled for ${id}. Standing approvals made of earlier ones: ${players}.\n`;
      print(context, options, { id, autoApprove: true, granted }, text);
    });
  autoApproval
    .command('disable')
    .description('Have the app ask each time again. What players allowed is kept for when it is enabled anew.')
    .argument('<app>', "the app's id")
    .option(...JSON_OPTION)
    .addHelpText('after', example('apps auto-approval disable 7Qm2xVb9KcRt4LpWz8Yd'))
    .action(async (id: string, options: OutputOptions) => {
      await withService(context, (service) => disableAutoApproval(service, id as AppId));
      print(context, options, { id, autoApprove: false }, `Auto approval is disabled for ${id}.\n`);
    });
}
