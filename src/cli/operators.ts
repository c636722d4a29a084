import type { Column } from '../base/columns.ts';
import type { OperatorRow } from '../identity/operators.ts';
import { addActionCommands } from './action-commands.ts';
import type { CliCommand } from './command.ts';
import { listed } from './reading.ts';

const COLUMNS: readonly Column<OperatorRow>[] = [
  { label: 'E-mail', value: ({ email }) => email },
  { label: 'Name', value: ({ displayName }) => displayName },
  { label: 'Passkeys', kind: 'number', value: ({ passkeys }) => passkeys },
  { label: 'Since', value: ({ addedAt }) => addedAt },
  { label: 'User', value: ({ userId }) => userId },
];

export function addOperatorsCommands(program: CliCommand): void {
  const operators = program
    .command('operators')
    .description('Who may use the operators’ console, at PUBLIC_URL/operator.');
  addActionCommands(operators);
  operators
    .command('list')
    .description('List the operators.')
    .examples('operators list')
    .prints(async (service) => {
      const { listOperators } = await import('../features/operators/operators.ts');
      const found = await listOperators(service);
      const none = 'No operators, so /operator is off. Add one: npx quarters operators add <e-mail>';
      return listed({ operators: found }, COLUMNS, found, { none });
    });
}
