import type { ReportView } from '../features/reports/reports.ts';
import { addActionCommands } from './action-commands.ts';
import type { CliCommand } from './command.ts';
import { formatFacts } from './format.ts';

export function addReportsCommands(program: CliCommand): void {
  const reports = program.command('reports').description('Reports from players.');
  reports
    .command('list')
    .description('List open reports, oldest first, up to 200.')
    .examples('reports list')
    .prints(async (service) => {
      const { listReports } = await import('../features/reports/reports.ts');
      const { en } = await import('../../words/en.ts');
      const found = await listReports(service);
      const texts = found.map((report) => reportText(report, en.report.reasons[report.reason]));
      return { json: { reports: found }, text: texts.join('\n') || 'No open reports.\n' };
    });
  addActionCommands(reports);
}

function reportText({ id, appName, appId, requestId, userId, text, createdAt }: ReportView, reason: string): string {
  return formatFacts([
    ['Report', id],
    ['Reason', reason],
    ['App', `${appName} (${appId})`],
    ['Request', requestId ?? '-'],
    ['Player', userId],
    ['Created', createdAt],
    ['Text', text.replace(/\s+/g, ' ') || null],
  ]);
}
