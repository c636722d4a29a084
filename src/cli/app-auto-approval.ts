import { type Command, Option } from 'commander';
import type { Quarters } from '../base/quarters.ts';
import { APP_ARGUMENT, type CliContext, example, JSON_OPTION, parseAmount, print, withService } from './command.ts';
import { YES_OPTION } from './confirm.ts';
import { type ActOptions, REASON_OPTION } from './reason.ts';

type LimitOptions = ActOptions & {
  readonly perTransfer?: Quarters;
  readonly perDay?: Quarters;
  readonly consent?: string;
};

/** `apps auto-approval`: whether, and how, players let an app take quarters without asking. */
export function addAutoApprovalCommands(apps: Command, context: CliContext): void {
  const autoApproval = apps
    .command('auto-approval')
    .description('Control whether players may set a spending limit for an app.');
  autoApproval
    .command('enable')
    .description(
      'Let players set a spending limit. Those who approved a payment before get one, and an e-mail about it.',
    )
    .argument(...APP_ARGUMENT)
    .option('--per-transfer <quarters>', 'most per payment, below AUTO_APPROVE_PER_TRANSFER', parseAmount)
    .option('--per-day <quarters>', 'most per day, below AUTO_APPROVE_PER_DAY', parseAmount)
    .addOption(
      new Option(
        '--consent <how>',
        'approval: by approving a payment on a page that says so; box: by ticking a box there',
      )
        .choices(['approval', 'box'])
        .default('approval'),
    )
    .option(...REASON_OPTION)
    .option(...YES_OPTION)
    .option(...JSON_OPTION)
    .addHelpText('after', example('apps auto-approval enable 7Qm2xVb9KcRt4LpWz8Yd --per-day 500'))
    .action(async (id: string, { perTransfer, perDay, consent, ...options }: LimitOptions) => {
      const { act } = await import('./perform.ts');
      const params = { app: id, perTransfer, perDay, consent };
      const question = 'Enable auto approval?';
      const { action } = await withService(context, (service) =>
        act(context, options, service, { kind: 'enable-auto-approval', params, question }),
      );
      const granted = Number(action.result?.granted ?? 0);
      const earlier =
        granted === 1
          ? '1 earlier approval became a spending limit'
          : `${granted} earlier approvals became spending limits`;
      const text = `Auto approval is enabled for ${id}. ${earlier}.\n`;
      print(context, options, { id, autoApprove: true, granted }, text);
    });
  autoApproval
    .command('disable')
    .description('Make the app ask for every payment. Spending limits apply again when you re-enable it.')
    .argument(...APP_ARGUMENT)
    .option(...REASON_OPTION)
    .option(...YES_OPTION)
    .option(...JSON_OPTION)
    .addHelpText('after', example('apps auto-approval disable 7Qm2xVb9KcRt4LpWz8Yd'))
    .action(async (id: string, options: ActOptions) => {
      const { act } = await import('./perform.ts');
      const question = 'Disable auto approval?';
      await withService(context, (service) =>
        act(context, options, service, { kind: 'disable-auto-approval', params: { app: id }, question }),
      );
      print(context, options, { id, autoApprove: false }, `Auto approval is disabled for ${id}.\n`);
    });
}
