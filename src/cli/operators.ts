import type { Command } from 'commander';
import { type CliContext, example, JSON_OPTION, type OutputOptions, print, withService } from './command.ts';
import { formatTable, readableTime } from './format.ts';

const EMAIL_ARGUMENT = ['<e-mail>', 'the e-mail address of their account'] as const;

export function addOperatorsCommands(program: Command, context: CliContext): void {
  const operators = program
    .command('operators')
    .description('Who may use the operators’ console, at PUBLIC_URL/operator.');
  operators
    .command('add')
    .description('Make somebody an operator. They need an account with a passkey.')
    .argument(...EMAIL_ARGUMENT)
    .option(...JSON_OPTION)
    .addHelpText('after', example('operators add ada@example.com'))
    .action(async (email: string, options: OutputOptions) => {
      const { addOperator } = await import('../features/operators/operators.ts');
      const { userId, passkeys, isNew } = await withService(context, (service) => addOperator(service, email));
      const names = passkeys.map(({ name, createdAt }) => `  ${name}, added ${readableTime(createdAt)}\n`);
      const text = `${email} ${isNew ? 'is an operator now' : 'is an operator already'}. Check with them that these passkeys are theirs:\n${names.join('')}`;
      const json = { userId, added: isNew, passkeys: passkeys.map(({ name, createdAt }) => ({ name, createdAt })) };
      print(context, options, json, text);
    });
  operators
    .command('remove')
    .description('Take the role away.')
    .argument(...EMAIL_ARGUMENT)
    .option(...JSON_OPTION)
    .addHelpText('after', example('operators remove ada@example.com'))
    .action(async (email: string, options: OutputOptions) => {
      const { removeOperator } = await import('../features/operators/operators.ts');
      const { userId } = await withService(context, (service) => removeOperator(service, email));
      print(context, options, { userId, removed: true }, `${email} is no longer an operator.\n`);
    });
  operators
    .command('list')
    .description('List the operators.')
    .option(...JSON_OPTION)
    .addHelpText('after', example('operators list'))
    .action(async (options: OutputOptions) => {
      const { listOperators } = await import('../features/operators/operators.ts');
      const found = await withService(context, listOperators);
      const table = formatTable(
        [
          { title: 'E-MAIL' },
          { title: 'NAME' },
          { title: 'PASSKEYS', align: 'right' },
          { title: 'SINCE' },
          { title: 'USER' },
        ],
        found.map(({ email, displayName, passkeys, addedAt, userId }) => [
          email,
          displayName,
          `${passkeys}`,
          readableTime(addedAt),
          userId,
        ]),
      );
      const none = 'No operators, so /operator is off. Add one: npx quarters operators add <e-mail>\n';
      print(context, options, { operators: found }, found.length === 0 ? none : table);
    });
}
