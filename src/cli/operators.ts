import { addActionCommands } from './action-commands.ts';
import { type CliCommand, type CliContext, type OutputOptions, print, withService } from './command.ts';
import { formatTable } from './format.ts';

export function addOperatorsCommands(program: CliCommand, context: CliContext): void {
  const operators = program
    .command('operators')
    .description('Who may use the operators’ console, at PUBLIC_URL/operator.');
  addActionCommands(operators, context);
  addList(operators, context);
}

function addList(operators: CliCommand, context: CliContext): void {
  operators
    .command('list')
    .description('List the operators.')
    .json()
    .examples('operators list')
    .action(async (options: OutputOptions) => {
      const { listOperators } = await import('../features/operators/operators.ts');
      const found = await withService(context, listOperators);
      const table = formatTable(
        [
          { label: 'E-mail', value: ({ email }) => email },
          { label: 'Name', value: ({ displayName }) => displayName },
          { label: 'Passkeys', kind: 'number', value: ({ passkeys }) => passkeys },
          { label: 'Since', value: ({ addedAt }) => addedAt },
          { label: 'User', value: ({ userId }) => userId },
        ],
        found,
      );
      const none = 'No operators, so /operator is off. Add one: npx quarters operators add <e-mail>\n';
      print(context, options, { operators: found }, found.length === 0 ? none : table);
    });
}
