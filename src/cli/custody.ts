import { resolve } from 'node:path';
import { Option } from 'commander';
import type { KeptCopy } from '../custody/kept-copies.ts';
import { type CliCommand, type CliContext, type OutputOptions, print, withService } from './command.ts';
import { type ConfirmOptions, confirm, YES_OPTION } from './confirm.ts';
import { type ActOptions, REASON_OPTION } from './reason.ts';

/** How the keys of all accounts are held. */
export function addCustodyCommands(program: CliCommand, context: CliContext): void {
  const custody = program.command('custody').description('The keys of all accounts: how they are held and recovered.');
  addStatus(custody, context);
  addKit(custody, context);
  addRotateMaster(custody, context);
  addRotateData(custody, context);
  addSweep(custody, context);
}

function addStatus(custody: CliCommand, context: CliContext): void {
  custody
    .command('status', { isDefault: true })
    .description('Show where the master key comes from, which keys there are, and which copies are kept.')
    .option('--backed-up', 'say that a backup of the database was taken just now')
    .option(...REASON_OPTION)
    .option(...YES_OPTION)
    .json()
    .examples('custody', 'custody status --backed-up')
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

function addKit(custody: CliCommand, context: CliContext): void {
  custody
    .command('kit')
    .description(
      'Print the recovery kit. With the master key and the chain it recovers all accounts, without any backup.',
    )
    .option('--kept', 'say that the kit is kept, apart from the master key. Prints nothing else')
    .option(...REASON_OPTION)
    .option(...YES_OPTION)
    .json()
    .examples('custody kit > recovery-kit.txt', 'custody kit --kept')
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

type RotateOptions = OutputOptions &
  ConfirmOptions & { readonly to?: string; readonly finish?: true; readonly cancel?: true };

const REPLACES = `A new master key will open the database, beside the old one. Running processes continue.
When every process will find the new key at its next start, the old one ends.
Backups and recovery kits from before open with the old key alone: keep it as long as you keep them.
`;

function addRotateMaster(custody: CliCommand, context: CliContext): void {
  custody
    .command('rotate-master')
    .description('Replace the master key, while the service runs. Can be repeated after an interruption at any point.')
    .option('--to <file>', 'the file with the new key, which is made if it is missing; for a key that is not in a file')
    .addOption(
      new Option('--finish', 'end the old key: the settings must give the new one').conflicts(['to', 'cancel']),
    )
    .addOption(new Option('--cancel', 'end the new key: the settings must give the old one').conflicts('to'))
    .option(...YES_OPTION)
    .json()
    .examples('custody rotate-master', 'custody rotate-master --to new-master.key', 'custody rotate-master --finish')
    .action(async ({ to, finish, cancel, ...options }: RotateOptions) => {
      const { cancelReplacement, finishReplacement, replaceMasterKey } = await import(
        '../features/custody/replace-master-key.ts'
      );
      const { replacementJson, replacementText } = await import('./custody-text.ts');
      if (cancel) {
        await withService(context, cancelReplacement);
        print(context, options, { step: 'withdrawn' }, 'The old master key alone opens the database.\n');
        return;
      }
      const path = to === undefined ? null : resolve(to);
      const done = await withService(context, async (service) => {
        if (finish) return finishReplacement(service);
        await confirm(context, options, { what: REPLACES, question: 'Replace the master key?' });
        return replaceMasterKey(service, path);
      });
      print(context, options, replacementJson(done), replacementText(done));
    });
}

function addRotateData(custody: CliCommand, context: CliContext): void {
  custody
    .command('rotate-data')
    .description('Replace the data key, while the service runs, and seal anew what is stored. Run again, it continues.')
    .option(...YES_OPTION)
    .json()
    .examples('custody rotate-data')
    .action(async (options: OutputOptions & ConfirmOptions) => {
      const { replaceDataKey } = await import('../features/custody/replace-data-key.ts');
      const { readCustodyStatus } = await import('../views/custody/read-status.ts');
      const { dataKeyText, statusJson } = await import('./custody-text.ts');
      const { withProgress } = await import('./progress.ts');
      const { done, status } = await withService(context, async (service) => {
        await confirm(context, options, { what: RESEALS, question: 'Replace the data key?' });
        const done = await withProgress(context, 'Replacing', (report) => replaceDataKey(service, report));
        return { done, status: await readCustodyStatus(service) };
      });
      print(context, options, { ...done, ...statusJson(status) }, dataKeyText(done, status));
    });
}

const RESEALS = `A new data key will seal what the database stores. What is sealed now is sealed anew, while the service runs.
`;

function addSweep(custody: CliCommand, context: CliContext): void {
  custody
    .command('sweep')
    .description(
      'When somebody else knows the seed: give all accounts new keys and addresses. The service must be stopped; its next start moves all quarters.',
    )
    .option(...YES_OPTION)
    .json()
    .examples('custody sweep')
    .action(async (options: OutputOptions & ConfirmOptions) => {
      const { planSweep } = await import('../features/custody/plan-sweep.ts');
      const { sweepKeys } = await import('../features/custody/sweep-keys.ts');
      const { sweepPlanText, sweptJson, sweptText } = await import('./sweep-text.ts');
      const { withProgress } = await import('./progress.ts');
      const swept = await withService(context, async (service) => {
        const plan = await planSweep(service);
        await confirm(context, options, {
          what: sweepPlanText(plan),
          question: 'Give all accounts new keys and addresses?',
        });
        return withProgress(context, 'Making keys', (report) => sweepKeys(service, plan, report));
      });
      print(context, options, sweptJson(swept), sweptText(swept));
    });
}

type ConnectedService = Awaited<ReturnType<CliContext['connect']>>['service'];

async function confirmCopy(context: CliContext, options: ActOptions, service: ConnectedService, copy: KeptCopy) {
  const { act } = await import('./perform.ts');
  const question = copy === 'kit' ? 'Is it kept?' : 'Was one taken?';
  await act(context, options, service, { kind: 'confirm-copy', params: { copy }, key: undefined, question });
}
