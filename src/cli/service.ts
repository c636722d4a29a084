import type { Command } from 'commander';
import { outsideContext } from '../base/log.ts';
import { type CliContext, example, JSON_OPTION, type OutputOptions, print } from './command.ts';

export function addStartCommand(program: Command, context: CliContext): void {
  program
    .command('start')
    .description('Start the service. For a try-out, npm start adds a database and a chain.')
    .addHelpText('after', example('start'))
    // From here on the service acts, not the operator: events must not be logged as theirs.
    .action(() => outsideContext(() => context.start()));
}

export function addMigrateCommand(program: Command, context: CliContext): void {
  program
    .command('migrate')
    .description('Update the database schema.')
    .option(...JSON_OPTION)
    .addHelpText('after', example('migrate'))
    .action(async (options: OutputOptions) => {
      const { applied } = await context.migrate();
      const lines = applied.length > 0 ? applied.map((name) => `applied ${name}`) : ['The schema is up to date.'];
      print(context, options, { applied }, `${lines.join('\n')}\n`);
    });
}
