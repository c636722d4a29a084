import type { Command } from 'commander';
import { type CliContext, example, JSON_OPTION } from './command.ts';
import { YES_OPTION } from './confirm.ts';
import type { PayOptions } from './pay-file.ts';

const HOW = `
The file is CSV in UTF-8 with a header: recipient,quarters,note. The note is optional. A recipient is a user id, an app id, an Ethereum address
or the e-mail address of an account. With --from it is a user.

Every row is paid exactly once. If the command is interrupted, run it again: it continues. A changed file is another batch.`;

export function addPayCommand(program: Command, context: CliContext): void {
  program
    .command('pay')
    .description('Pay everybody in a file, each row exactly once, however often it is run.')
    .requiredOption('--file <file>', 'a CSV file with the columns recipient, quarters and note')
    .option('--from <app>', "pay from an app's account instead of the treasury")
    .option('--batch <name>', 'name of the batch, 1 to 100 characters, default the hash of the file')
    .option('--result <file>', 'where to write what became of each row, default next to the file')
    .option(...YES_OPTION)
    .option(...JSON_OPTION)
    .addHelpText(
      'after',
      `${example('pay --file players.csv --batch season-7', 'pay --file players.csv --from 7Qm2xVb9KcRt4LpWz8Yd')}${HOW}`,
    )
    .action(async (options: PayOptions) => {
      const { payFile } = await import('./pay-file.ts');
      await payFile(context, options);
    });
}
