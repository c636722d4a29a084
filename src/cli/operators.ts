import type { Command } from 'commander';
import type { UserId } from '../base/ids.ts';
import { type CliContext, example, JSON_OPTION, type OutputOptions, print, withService } from './command.ts';
import { YES_OPTION } from './confirm.ts';
import { formatTable, readableTime } from './format.ts';
import { type ActOptions, REASON_OPTION } from './reason.ts';

const EMAIL_ARGUMENT = ['<e-mail>', 'the e-mail address of their account'] as const;

export function addOperatorsCommands(program: Command, context: CliContext): void {
  const operators = program
    .command('operators')
    .description('Who may use the operators’ console, at PUBLIC_URL/operator.');
  operators
    .command('add')
    .description('Make somebody an operator. They need an account with a passkey.')
    .argument(...EMAIL_ARGUMENT)
    .option(...REASON_OPTION)
    .option(...YES_OPTION)
    .option(...JSON_OPTION)
    .addHelpText('after', example('operators add ada@example.com'))
    .action(async (email: string, options: ActOptions) => {
      const { act } = await import('./perform.ts');
      const { passkeysOf } = await import('../features/operators/operators.ts');
      const { userId, passkeys, isNew } = await withService(context, async (service) => {
        const question = 'Make them an operator?';
        const { action } = await act(context, options, service, { kind: 'add-operator', params: { email }, question });
        const userId = JSON.parse(action.params).user as UserId;
        return { userId, passkeys: await passkeysOf(service, userId), isNew: action.result?.isNew === true };
      });
      const names = passkeys.map(({ name, createdAt }) => `  ${name}, added ${readableTime(createdAt)}\n`);
      const text = `${email} ${isNew ? 'is an operator now' : 'is an operator already'}. Check with them that these passkeys are theirs:\n${names.join('')}`;
      const json = { userId, added: isNew, passkeys: passkeys.map(({ name, createdAt }) => ({ name, createdAt })) };
      print(context, options, json, text);
    });
  operators
    .command('remove')
    .description('Take the role away.')
    .argument(...EMAIL_ARGUMENT)
    .option(...REASON_OPTION)
    .option(...YES_OPTION)
    .option(...JSON_OPTION)
    .addHelpText('after', example('operators remove ada@example.com'))
    .action(async (email: string, options: ActOptions) => {
      const { act } = await import('./perform.ts');
      const question = 'Take the role away?';
      const { action } = await withService(context, (service) =>
        act(context, options, service, { kind: 'remove-operator', params: { email }, question }),
      );
      const userId = JSON.parse(action.params).user as UserId;
      print(context, options, { userId, removed: true }, `${email} is no longer an operator.\n`);
    });
  addList(operators, context);
}

function addList(operators: Command, context: CliContext): void {
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
