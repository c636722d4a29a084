import type { Command } from 'commander';
import type { ReportView } from '../features/reports/reports.ts';
import { type CliContext, example, JSON_OPTION, type OutputOptions, parseUuid, print, withService } from './command.ts';
import { YES_OPTION } from './confirm.ts';
import { formatFacts, readableTime } from './format.ts';
import { type ActOptions, REASON_OPTION } from './reason.ts';

export function addReportsCommands(program: Command, context: CliContext): void {
  const reports = program.command('reports').description('Reports from players.');
  reports
    .command('list')
    .description('List open reports, oldest first, up to 200.')
    .option(...JSON_OPTION)
    .addHelpText('after', example('reports list'))
    .action(async (options: OutputOptions) => {
      const { listReports } = await import('../features/reports/reports.ts');
      const { REASONS } = await import('../requests/reports.ts');
      const found = await withService(context, listReports);
      const text =
        found.length === 0
          ? 'No open reports.\n'
          : found.map((report) => reportText(report, REASONS[report.reason])).join('\n');
      print(context, options, { reports: found }, text);
    });
  reports
    .command('resolve')
    .description('Mark a report as resolved.')
    .argument('<id>', 'the report id, as printed by `reports list`', parseUuid)
    .option(...REASON_OPTION)
    .option(...YES_OPTION)
    .option(...JSON_OPTION)
    .addHelpText('after', example('reports resolve 019a3f4e-7c1b-7d52-9f0e-3b6a1c2d4e5f'))
    .action(async (id: string, options: ActOptions) => {
      const { act } = await import('./perform.ts');
      const question = 'Mark it as resolved?';
      await withService(context, (service) =>
        act(context, options, service, { kind: 'resolve-report', params: { report: id }, question }),
      );
      print(context, options, { id, resolved: true }, `Resolved report ${id}.\n`);
    });
}

function reportText(report: ReportView, reason: string): string {
  const { id, appName, appId, requestId, userId, text, createdAt } = report;
  return formatFacts([
    ['Report', id],
    ['Reason', reason],
    ['App', `${appName} (${appId})`],
    ['Request', requestId ?? '-'],
    ['Player', userId],
    ['Created', readableTime(createdAt)],
    ...(text === '' ? [] : [['Text', text.replace(/\s+/g, ' ')] as const]),
  ]);
}
