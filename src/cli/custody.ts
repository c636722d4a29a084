import { resolve } from 'node:path';
import { Option } from 'commander';
import type { KeptCopy } from '../custody/kept-copies.ts';
import type { Service } from '../service/service.ts';
import type { CliCommand } from './command.ts';
import { type ConfirmOptions, confirm, YES_OPTION } from './confirm.ts';
import { type ActOptions, REASON_OPTION } from './reason.ts';

/** How the keys of all accounts are held. */
export function addCustodyCommands(program: CliCommand): void {
  const custody = program.command('custody').description('The keys of all accounts: how they are held and recovered.');
  addStatus(custody);
  addKit(custody);
  addRotateMaster(custody);
  addRotateData(custody);
  addSweep(custody);
}

function addStatus(custody: CliCommand): void {
  custody
    .command('status', { isDefault: true })
    .description('Show where the master key comes from, which keys there are, and which copies are kept.')
    .option('--backed-up', 'say that a backup of the database was taken just now')
    .option(...REASON_OPTION)
    .option(...YES_OPTION)
    .examples('custody', 'custody status --backed-up')
    .prints(async (service, { backedUp, ...options }: ActOptions & { readonly backedUp?: true }) => {
      const { readCustodyStatus } = await import('../views/custody/read-status.ts');
      const { custodyStatus } = await import('./custody-text.ts');
      if (backedUp) await confirmCopy(custody, options, service, 'backup');
      return custodyStatus(await readCustodyStatus(service));
    });
}

function addKit(custody: CliCommand): void {
  custody
    .command('kit')
    .description('Print the recovery kit, which with master key and chain recovers all accounts without a backup.')
    .option('--kept', 'say that the kit is kept, apart from the master key. Prints nothing else')
    .option(...REASON_OPTION)
    .option(...YES_OPTION)
    .examples('custody kit > recovery-kit.txt', 'custody kit --kept')
    .prints(async (service, { kept, ...options }: ActOptions & { readonly kept?: true }) => {
      const { readRecoveryKit } = await import('../views/custody/read-kit.ts');
      if (kept) {
        await confirmCopy(custody, options, service, 'kit');
        return { json: { kept: true }, text: 'Recorded that the recovery kit is kept.\n' };
      }
      const kit = await readRecoveryKit(service);
      return { json: { kit }, text: kit };
    });
}

type RotateOptions = ConfirmOptions & { readonly to?: string; readonly finish?: true; readonly cancel?: true };

const REPLACES = `A new master key will open the database, beside the old one. Running processes continue.
When every process will find the new key at its next start, the old one ends.
Backups and recovery kits from before open with the old key alone: keep it as long as you keep them.
`;

function addRotateMaster(custody: CliCommand): void {
  custody
    .command('rotate-master')
    .description('Replace the master key, while the service runs. Can be repeated after an interruption at any point.')
    .option('--to <file>', 'the file with the new key, which is made if it is missing; for a key that is not in a file')
    .addOption(
      new Option('--finish', 'end the old key: the settings must give the new one').conflicts(['to', 'cancel']),
    )
    .addOption(new Option('--cancel', 'end the new key: the settings must give the old one').conflicts('to'))
    .option(...YES_OPTION)
    .examples('custody rotate-master', 'custody rotate-master --to new-master.key', 'custody rotate-master --finish')
    .changes(async (service, { to, finish, cancel, ...options }: RotateOptions) => {
      const { cancelReplacement, finishReplacement, replaceMasterKey } = await import(
        '../features/custody/replace-master-key.ts'
      );
      const { replacement } = await import('./custody-text.ts');
      if (cancel) {
        await cancelReplacement(service);
        return { json: { step: 'withdrawn' }, text: 'The old master key alone opens the database.\n' };
      }
      if (finish) return replacement(await finishReplacement(service));
      await confirm(custody.context, options, { what: REPLACES, question: 'Replace the master key?' });
      return replacement(await replaceMasterKey(service, to === undefined ? null : resolve(to)));
    });
}

function addRotateData(custody: CliCommand): void {
  custody
    .command('rotate-data')
    .description('Replace the data key, while the service runs, and seal anew what is stored. Run again, it continues.')
    .option(...YES_OPTION)
    .examples('custody rotate-data')
    .changes(async (service, options: ConfirmOptions) => {
      const { replaceDataKey } = await import('../features/custody/replace-data-key.ts');
      const { readCustodyStatus } = await import('../views/custody/read-status.ts');
      const { custodyStatus, dataKeyText } = await import('./custody-text.ts');
      const { withProgress } = await import('./progress.ts');
      await confirm(custody.context, options, { what: RESEALS, question: 'Replace the data key?' });
      const done = await withProgress(custody.context, 'Replacing', (report) => replaceDataKey(service, report));
      const status = await readCustodyStatus(service);
      return { json: { ...done, ...custodyStatus(status).json }, text: dataKeyText(done, status) };
    });
}

const RESEALS = `A new data key will seal what the database stores. What is sealed now is sealed anew, while the service runs.
`;

function addSweep(custody: CliCommand): void {
  custody
    .command('sweep')
    .description(
      'When somebody else knows the seed: give all accounts new keys. The service must be stopped; its next start moves all quarters.',
    )
    .option(...YES_OPTION)
    .examples('custody sweep')
    .changes(async (service, options: ConfirmOptions) => {
      const { planSweep } = await import('../features/custody/plan-sweep.ts');
      const { sweepKeys } = await import('../features/custody/sweep-keys.ts');
      const { sweepPlanText, swept } = await import('./sweep-text.ts');
      const { withProgress } = await import('./progress.ts');
      const plan = await planSweep(service);
      const question = 'Give all accounts new keys and addresses?';
      await confirm(custody.context, options, { what: sweepPlanText(plan), question });
      return swept(await withProgress(custody.context, 'Making keys', (report) => sweepKeys(service, plan, report)));
    });
}

async function confirmCopy({ context }: CliCommand, options: ActOptions, service: Service, copy: KeptCopy) {
  const { act } = await import('./perform.ts');
  const question = copy === 'kit' ? 'Is it kept?' : 'Was one taken?';
  await act(context, options, service, { kind: 'confirm-copy', params: { copy }, key: undefined, question });
}
