import { outsideContext } from '../base/log.ts';
import { type CliCommand, type OutputOptions, print } from './command.ts';

export function addStartCommand(program: CliCommand): void {
  program
    .command('start')
    .description('Start the service, with a database and a chain of its own unless settings name others.')
    .option('--lan', 'let phones of your network reach a try-out')
    .examples('start')
    // From here on the service acts, not the operator: events must not be logged as theirs.
    .action((options: { readonly lan?: true }) => outsideContext(() => program.context.start(options)));
}

export function addMigrateCommand(program: CliCommand): void {
  program
    .command('migrate')
    .description('Update the database schema.')
    .option('--prepare', 'while the release before works: do what would take long')
    .json()
    .examples('migrate', 'migrate --prepare')
    .action(async ({ prepare, ...options }: OutputOptions & { readonly prepare?: true }) => {
      const { applied: names } = await program.context.migrate({ prepare });
      const [done, none] = prepare
        ? (['prepared', 'There is nothing to prepare.'] as const)
        : (['applied', 'The schema is up to date.'] as const);
      const lines = names.length > 0 ? names.map((name) => `${done} ${name}`) : [none];
      print(program.context, options, { json: { [done]: names }, text: `${lines.join('\n')}\n` });
    });
}
