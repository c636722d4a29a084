import { once } from 'node:events';
import { type CliCommand, type CliContext, type OutputOptions, withService } from '../../../cli/command.ts';
import { type ReportProgress, withProgress } from '../../../cli/progress.ts';
import { parseAppId } from '../../../cli/values.ts';
import type { Service } from '../../../service/service.ts';
import type { Period } from '../base/periods.ts';
import { MONTH_OPTION } from './statements.ts';

type ExportOptions = OutputOptions & { readonly month: Period; readonly app?: string };

export function addPostingsCommands(program: CliCommand): void {
  program
    .command('postings')
    .description('The ledger’s postings: every transfer, with its transaction hash.')
    .command('export')
    .description('Print the postings of a month as CSV.')
    .requiredOption(...MONTH_OPTION)
    .option('--app <app>', "only those of this app's account", parseAppId)
    .json()
    .examples(
      'postings export --month 2026-10 > postings-2026-10.csv',
      'postings export --month 2026-10 --app Qm3yT7bWx9KpL2vNc4Rd',
    )
    .action((options: ExportOptions) =>
      withService(program.context, (service) =>
        withProgress(program.context, 'Reading postings', (report) => run(program.context, service, options, report)),
      ),
    );
}

async function run(
  { out }: CliContext,
  service: Service,
  { month, app: id, json }: ExportOptions,
  report: ReportProgress,
): Promise<void> {
  const { appFor, OPERATOR } = await import('../../../service/managers.ts');
  const { exportPostings } = await import('../views/export-postings.ts');
  const { postingJsonLines, postingLines } = await import('../views/posting-lines.ts');
  const app = id === undefined ? null : await appFor(service, OPERATOR, id, 'read');
  const pages = reported(await exportPostings(service, month, app?.id ?? null), report);
  await writeAll(out, json ? postingJsonLines(pages) : postingLines(pages));
}

/** Reports how many postings were written whenever a page was. */
async function* reported<Posting>(
  pages: AsyncIterable<readonly Posting[]>,
  report: ReportProgress,
): AsyncGenerator<readonly Posting[]> {
  let done = 0;
  for await (const page of pages) {
    yield page;
    done += page.length;
    report(done);
  }
}

/** Writes as fast as the reader takes it, and stops when the reader has gone. */
async function writeAll(out: NodeJS.WritableStream, texts: AsyncIterable<string>): Promise<void> {
  for await (const text of texts) {
    if (!out.writable) return;
    if (!out.write(text)) await Promise.race([once(out, 'drain'), once(out, 'close')]);
  }
}
