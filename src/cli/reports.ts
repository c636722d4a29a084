import type { ReportView } from '../features/reports/reports.ts';
import { addActionCommands } from './action-commands.ts';
import { type CliCommand, type CliContext, type OutputOptions, print, withService } from './command.ts';
import { formatFacts, readableTime } from './format.ts';

export function addReportsCommands(program: CliCommand, context: CliContext): void {
  const reports = program.command('reports').description('Reports from players.');
  reports
    .command('list')
    .description('List open reports, oldest first, up to 200.')
    .json()
    .examples('reports list')
    .action(async (options: OutputOptions) => {
      const { listReports } = await import('../features/reports/reports.ts');
      const { en } = await import('../words/en.ts');
      const found = await withService(context, listReports);
      const text =
        found.length === 0
          ? 'No open reports.\n'
          : found.map((report) => reportText(report, en.report.reasons[report.reason])).join('\n');
      print(context, options, { reports: found }, text);
    });
  addActionCommands(reports, context);
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
