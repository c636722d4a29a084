import { readFile } from 'node:fs/promises';
import type { PruneFrom } from '../features/operator-log/prune-log.ts';
import type { LoggedAction } from '../operator-log/logged-actions.ts';
import { type CliCommand, type CliContext, type OutputOptions, parseLimit, print, withService } from './command.ts';
import {
  entriesJson,
  entriesTable,
  entryText,
  headsIn,
  parseLoggedAction,
  parsePruneFrom,
  parseSequence,
  parseTime,
  verificationJson,
  verificationText,
} from './log-text.ts';
import { withProgress } from './progress.ts';

/** The log of what operators, and holders of credentials, changed. */
export function addLogCommands(program: CliCommand, context: CliContext): void {
  const log = program.command('log').description("The operator's log: who changed what, and whether it is whole.");
  addList(log, context);
  addShow(log, context);
  addVerify(log, context);
  addHead(log, context);
  addExport(log, context);
  addPrune(log, context);
}

type ListOptions = OutputOptions & {
  readonly action?: LoggedAction;
  readonly who?: string;
  readonly subject?: string;
  readonly since?: Date;
  readonly until?: Date;
  readonly limit: number;
};

function addList(log: CliCommand, context: CliContext): void {
  log
    .command('list', { isDefault: true })
    .description('List entries, newest first.')
    .option('--action <word>', 'only this action', parseLoggedAction)
    .option('--who <id>', 'only changes by this user (id or e-mail address), shell user or app')
    .option('--subject <id>', 'only changes of this user, app, transfer or report')
    .option('--since <time>', 'only from this time on, such as 2026-01-31 or 2026-01-31T12:00Z', parseTime)
    .option('--until <time>', 'only before this time', parseTime)
    .option('--limit <n>', 'at most so many', parseLimit, 50)
    .json()
    .examples('log list --action app-verified --since 2026-01-01')
    .action(async ({ action, who, subject, since: from, until: to, limit, ...options }: ListOptions) => {
      const { searchLog } = await import('../views/operator-log/read-log.ts');
      const search = { action, who, subject, from, to };
      const page = await withService(context, (service) => searchLog(service, search, limit));
      const text = page.entries.length === 0 ? 'No entries match.\n' : entriesTable(page);
      print(context, options, { ...entriesJson(page), more: page.next !== null }, text);
    });
}

function addShow(log: CliCommand, context: CliContext): void {
  log
    .command('show')
    .description('Show one entry, before and after.')
    .argument('<entry>', 'its number', parseSequence)
    .json()
    .examples('log show 17')
    .action(async (sequence: bigint, options: OutputOptions) => {
      const { showLogEntry } = await import('../views/operator-log/read-log.ts');
      const page = await withService(context, (service) => showLogEntry(service, sequence));
      print(context, options, entriesJson(page), entryText(page));
    });
}

function addVerify(log: CliCommand, context: CliContext): void {
  log
    .command('verify')
    .description('Compute every hash of the log again. Exits with 1 if an entry was changed, deleted or cut off.')
    .option('--head <file>', 'a file with signed heads that you kept elsewhere: each must be on this chain')
    .json()
    .examples('log verify', 'log verify --head heads.txt')
    .action(async ({ head, ...options }: OutputOptions & { readonly head?: string }) => {
      const { verifyLog } = await import('../views/operator-log/verify-log.ts');
      const heads = head === undefined ? [] : headsIn(await readFile(head, 'utf8'));
      if (head !== undefined && heads.length === 0) throw new Error(`There is no signed head in ${head}.`);
      const checked = await withService(context, (service) =>
        withProgress(context, 'Computing hashes', (report) =>
          verifyLog(service, heads, (done, of) => report(Number(done), Number(of))),
        ),
      );
      print(context, options, verificationJson(checked), verificationText(checked));
      const { fault } = checked;
      if (fault) throw new Error(`The log is not whole. Entry ${fault.sequence}: ${fault.what}`);
    });
}

function addHead(log: CliCommand, context: CliContext): void {
  log
    .command('head')
    .description('Sign the newest entry. Keep the result elsewhere: `log verify --head` compares it.')
    .json()
    .examples('log head >> heads.txt')
    .action(async (options: OutputOptions) => {
      const { signHead } = await import('../views/operator-log/sign-head.ts');
      const head = await withService(context, signHead);
      print(context, options, head, `${head.jws}\n`);
    });
  log
    .command('key')
    .description('Print the public key of the signatures, as a JSON Web Key Set.')
    .examples('log key > log-key.json')
    .action(async () => {
      const { readLogKeys } = await import('../views/operator-log/sign-head.ts');
      print(context, { json: true }, await withService(context, readLogKeys), '');
    });
}

function addExport(log: CliCommand, context: CliContext): void {
  log
    .command('export')
    .description('Print the whole log as JSON lines, with which anybody can verify it. It names users by pseudonyms.')
    .examples('log export > log.jsonl')
    .action(async () => {
      const { exportLines } = await import('../views/operator-log/export-log.ts');
      const { once } = await import('node:events');
      await withService(context, async (service) => {
        for await (const lines of exportLines(service)) if (!context.out.write(lines)) await once(context.out, 'drain');
      });
    });
}

type PruneOptions = OutputOptions & { readonly before: PruneFrom; readonly yes?: true };

function addPrune(log: CliCommand, context: CliContext): void {
  log
    .command('prune')
    .description('Delete old entries, and leave a signed checkpoint from which verification continues.')
    .requiredOption('--before <time or number>', 'the first entry that stays: a time, or its number', parsePruneFrom)
    .option('--yes', 'delete; otherwise the command only says what it would delete')
    .json()
    .examples('log prune --before 2026-01-01', 'log prune --before 2026-01-01 --yes')
    .action(async ({ before, yes, ...options }: PruneOptions) => {
      const { planPruning, pruneLog } = await import('../features/operator-log/prune-log.ts');
      const { entries, upTo } = await withService(context, async (service) => {
        const plan = await planPruning(service, before);
        if (yes) {
          await withProgress(context, 'Deleting entries', (report) =>
            pruneLog(service, plan, (done) => report(done, Number(plan.entries))),
          );
        }
        return plan;
      });
      const what = `${entries} ${entries === 1n ? 'entry' : 'entries'}, up to number ${upTo}`;
      const text = yes
        ? `Deleted ${what}.\n`
        : `This deletes ${what}. Export them first: npx quarters log export. Then run it again with --yes.\n`;
      print(context, options, { deleted: yes === true, entries: Number(entries), upTo: Number(upTo) }, text);
    });
}
