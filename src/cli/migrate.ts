import type { Command } from 'commander';
import { example, JSON_OPTION, type OutputOptions, print } from './command.ts';
import type { CliContext } from './context.ts';

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
