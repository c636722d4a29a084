import { type Command, InvalidArgumentError } from 'commander';
import { UUID_PATTERN } from '../base/ids.ts';
import { REASONS } from '../requests/reports.ts';
import { listReports, type ReportView } from '../usecases/operator/list-reports.ts';
import { resolveReport } from '../usecases/operator/resolve-report.ts';
import { example, JSON_OPTION, type OutputOptions, print, readableTime, withService } from './command.ts';
import type { CliContext } from './context.ts';
import { formatFacts } from './table.ts';

export function addReportsCommands(program: Command, context: CliContext): void {
  const reports = program.command('reports').description('What players say is wrong with payments they are asked for.');
  reports
    .command('list')
    .description('List the open reports, the oldest first, up to 200.')
    .option(...JSON_OPTION)
    .addHelpText('after', example('reports list'))
    .action(async (options: OutputOptions) => {
      const found = await withService(context, listReports);
      const text = found.length === 0 ? 'There is no open report.\n' : found.map(reportText).join('\n');
      print(context, options, { reports: found }, text);
    });
  reports
    .command('resolve')
    .description('Note that a report has been looked at.')
    .argument('<id>', "the report's id, as `reports list` prints it", parseId)
    .option(...JSON_OPTION)
    .addHelpText('after', example('reports resolve 019a3f4e-7c1b-7d52-9f0e-3b6a1c2d4e5f'))
    .action(async (id: string, options: OutputOptions) => {
      await withService(context, (service) => resolveReport(service, id));
      print(context, options, { id, resolved: true }, `The report ${id} is resolved.\n`);
    });
}

function parseId(text: string): string {
  if (new RegExp(UUID_PATTERN).test(text)) return text.toLowerCase();
  throw new InvalidArgumentError('An id has the form of a UUID.');
}

function reportText({ id, appName, appId, requestId, userId, reason, text, createdAt }: ReportView): string {
  return formatFacts([
    ['Report', id],
    ['Reason', REASONS[reason]],
    ['App', `${appName} (${appId})`],
    ['Request', requestId ?? '-'],
    ['Player', userId],
    ['Written', readableTime(createdAt)],
    ...(text === '' ? [] : [['Text', text.replace(/\s+/g, ' ')] as const]),
  ]);
}
