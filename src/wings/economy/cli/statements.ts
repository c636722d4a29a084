import { InvalidArgumentError } from 'commander';
import type { CliCommand } from '../../../cli/command.ts';
import { formatFacts, formatTable, readableTime } from '../../../cli/format.ts';
import { type Period, parsePeriod } from '../base/periods.ts';
import { STATEMENT_COLUMNS, statementGroups } from '../views/statement-lines.ts';
import type { Statement } from '../views/statements.ts';

export const MONTH_OPTION = ['--month <month>', 'a calendar month in UTC, such as 2026-10', parseMonth] as const;

type MonthOptions = { readonly month: Period };

export function addStatementsCommands(program: CliCommand): void {
  const statements = program.command('statements').description('Monthly statements of apps, equal to the ledger.');
  statements
    .command('show')
    .description("Show an app's statement of a month: opening, in, out and closing.")
    .app()
    .requiredOption(...MONTH_OPTION)
    .examples('statements show Qm3yT7bWx9KpL2vNc4Rd --month 2026-10')
    .prints(async (service, id: string, { month }: MonthOptions) => {
      const { appFor, OPERATOR } = await import('../../../service/managers.ts');
      const { readStatement } = await import('../views/read-statements.ts');
      const { statementJson } = await import('../views/statement-lines.ts');
      const statement = await readStatement(service, await appFor(service, OPERATOR, id, 'read'), month);
      return { json: statementJson(statement), text: statementText(statement) };
    });
  statements
    .command('export')
    .description('Print the statements of all apps for a month as CSV.')
    .requiredOption(...MONTH_OPTION)
    .examples('statements export --month 2026-10 > statements-2026-10.csv')
    .prints(async (service, { month }: MonthOptions) => {
      const { readStatements } = await import('../views/read-statements.ts');
      const { statementJson, statementLines } = await import('../views/statement-lines.ts');
      const { statements: all } = await readStatements(service, month);
      const text = (await Array.fromAsync(statementLines(all))).join('');
      return { json: { statements: all.map(statementJson) }, text };
    });
}

function parseMonth(text: string): Period {
  const month = parsePeriod('month', text);
  if (!month) throw new InvalidArgumentError('Use a month such as 2026-10.');
  return month;
}

function statementText(statement: Statement): string {
  const { app, period, counted, isFinal } = statement;
  const facts = formatFacts([
    ['App', `${app.name} (${app.id})`],
    ['Month', `${period.name}${isFinal ? '' : ', not complete yet'}`],
    [
      'Counted up to',
      counted.block === null || counted.at === null
        ? 'nothing yet'
        : `block ${counted.block}, ${readableTime(counted.at)}`,
    ],
  ]);
  const signs: Readonly<Record<string, string>> = { In: '+ ', Out: '- ' };
  const rows = statementGroups(statement).flatMap(({ title = '', rows }) =>
    rows.map((row) => (row.count === null ? row : { ...row, name: `${signs[title]}${row.name}` })),
  );
  const { kind, count, quarters } = STATEMENT_COLUMNS;
  const table = formatTable([kind, { ...count, value: (row) => row.count ?? '' }, quarters], rows);
  return `${facts}\n${table}`;
}
