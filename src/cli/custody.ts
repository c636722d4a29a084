import type { Command } from 'commander';
import type { KeptCopy } from '../custody/kept-copies.ts';
import { type CliContext, example, JSON_OPTION, print, withService } from './command.ts';
import { YES_OPTION } from './confirm.ts';
import { type ActOptions, REASON_OPTION } from './reason.ts';

/** How the keys of all accounts are held. */
export function addCustodyCommands(program: Command, context: CliContext): void {
  const custody = program.command('custody').description('The keys of all accounts: how they are held and recovered.');
  addStatus(custody, context);
  addKit(custody, context);
}

function addStatus(custody: Command, context: CliContext): void {
  custody
    .command('status', { isDefault: true })
    .description('Show where the master key comes from, which keys there are, and which copies are kept.')
    .option('--backed-up', 'say that a backup of the database was taken just now')
    .option(...REASON_OPTION)
    .option(...YES_OPTION)
    .option(...JSON_OPTION)
    .addHelpText('after', example('custody', 'custody status --backed-up'))
    .action(async ({ backedUp, ...options }: ActOptions & { readonly backedUp?: true }) => {
      const { readCustodyStatus } = await import('../views/custody/read-status.ts');
      const { statusJson, statusText } = await import('./custody-text.ts');
      const status = await withService(context, async (service) => {
        if (backedUp) await confirmCopy(context, options, service, 'backup');
        return readCustodyStatus(service);
      });
      print(context, options, statusJson(status), statusText(status));
    });
}

function addKit(custody: Command, context: CliContext): void {
  custody
    .command('kit')
    .description(
      'Print the recovery kit. With the master key and the chain it recovers all accounts, without any backup.',
    )
    .option('--kept', 'say that the kit is kept, apart from the master key. Prints nothing else')
    .option(...REASON_OPTION)
    .option(...YES_OPTION)
    .option(...JSON_OPTION)
    .addHelpText('after', example('custody kit > recovery-kit.txt', 'custody kit --kept'))
    .action(async ({ kept, ...options }: ActOptions & { readonly kept?: true }) => {
      const { readRecoveryKit } = await import('../views/custody/read-kit.ts');
      if (kept) {
        await withService(context, (service) => confirmCopy(context, options, service, 'kit'));
        print(context, options, { kept: true }, 'Recorded that the recovery kit is kept.\n');
        return;
      }
      const kit = await withService(context, readRecoveryKit);
      print(context, options, { kit }, kit);
    });
}

type ConnectedService = Awaited<ReturnType<CliContext['connect']>>['service'];

async function confirmCopy(context: CliContext, options: ActOptions, service: ConnectedService, copy: KeptCopy) {
  const { act } = await import('./perform.ts');
  const question = copy === 'kit' ? 'Is it kept?' : 'Was one taken?';
  await act(context, options, service, { kind: 'confirm-copy', params: { copy }, key: undefined, question });
}
