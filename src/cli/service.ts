import { outsideContext } from '../base/log.ts';
import { type CliCommand, type OutputOptions, print } from './command.ts';

export function addStartCommand(program: CliCommand): void {
  program
    .command('start')
    .description('Start the service. For a try-out, npm start adds a database and a chain.')
    .option('--lan', 'let phones of your network reach a try-out')
    .examples('start')
    // From here on the service acts, not the operator: events must not be logged as theirs.
    .action((options: { readonly lan?: true }) => outsideContext(() => program.context.start(options)));
}

export function addMigrateCommand(program: CliCommand): void {
  program
    .command('migrate')
    .description('Update the database schema.')
    .json()
    .examples('migrate')
    .action(async (options: OutputOptions) => {
      const { applied } = await program.context.migrate();
      const lines = applied.length > 0 ? applied.map((name) => `applied ${name}`) : ['The schema is up to date.'];
      print(program.context, options, { json: { applied }, text: `${lines.join('\n')}\n` });
    });
}
