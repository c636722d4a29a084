import { InvalidArgumentError } from 'commander';
import { type CliCommand, example } from '../../../cli/command.ts';
import { YES_OPTION } from '../../../cli/confirm.ts';
import { parseAppId } from '../../../cli/values.ts';
import type { NamedColumns, PayOptions } from './pay-file.ts';

const HOW = `
The file is CSV with a header that names the columns recipient, quarters and, if wanted, note. Usual other names, such as address and amount, are
understood, and shown before you are asked. A recipient is a user id, an app id, an Ethereum address or the e-mail address of an account. With
--from it is a user.

Every row is paid exactly once. A row is what it says, so the file may be sorted, saved again and corrected. Run the same command again: it
pays what was not paid.`;

export function addPayCommand(program: CliCommand): void {
  program
    .command('pay')
    .description('Pay everybody in a file, each row exactly once, however often it is run.')
    .requiredOption('--file <file>', 'a CSV file with the columns recipient, quarters and note')
    .option('--from <app>', "pay from an app's account instead of the treasury", parseAppId)
    .option('--batch <name>', 'name of the batch, 1 to 100 characters, default a hash of what the file says')
    .option('--columns <list>', 'which columns these are, such as recipient=wallet,quarters=amount', parseColumns)
    .option('--pay-changed', 'also pay rows whose recipient got something else in this batch')
    .option('--dry-run', 'show what would be paid, row by row, and pay nothing')
    .option('--result <file>', 'where to write what became of each row, default next to the file')
    .option(...YES_OPTION)
    .json()
    .addHelpText(
      'after',
      `${example('pay --file players.csv --batch season-7', 'pay --file players.csv --from 7Qm2xVb9KcRt4LpWz8Yd')}${HOW}`,
    )
    .action(async (options: PayOptions) => {
      const { payFile } = await import('./pay-file.ts');
      await payFile(program.context, options);
    });
}

function parseColumns(text: string): NamedColumns {
  const named = text.split(',').map((part) => part.split('='));
  const isRead = named.every(([role = '', name = '']) => ROLES.includes(role) && name !== '');
  if (!isRead)
    throw new InvalidArgumentError(
      'Use recipient=…,quarters=…,note=… with the names in the header, such as recipient=wallet,quarters=amount.',
    );
  return Object.fromEntries(named.map(([role, ...name]) => [role, name.join('=')]));
}

const ROLES = ['recipient', 'quarters', 'note'];
