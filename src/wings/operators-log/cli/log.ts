import { readFile } from 'node:fs/promises';
import { type CliCommand, print, withService } from '../../../cli/command.ts';
import { withProgress } from '../../../cli/progress.ts';
import { parseLimit, parseTime } from '../../../cli/values.ts';
import type { LoggedAction } from '../../../operator-log/logged-actions.ts';
import type { PruneFrom } from '../features/prune-log.ts';
import {
  headsIn,
  listedEntries,
  parseLoggedAction,
  parsePruneFrom,
  parseSequence,
  shownEntries,
  verified,
} from './log-text.ts';

/** The log of what operators, and holders of credentials, changed. */
export function addLogCommands(program: CliCommand): void {
  const log = program.command('log').description("The operator's log: who changed what, and whether it is whole.");
  addList(log);
  addShow(log);
  addVerify(log);
  addHead(log);
  addExport(log);
  addPrune(log);
}

type ListOptions = {
  readonly action?: LoggedAction;
  readonly who?: string;
  readonly subject?: string;
  readonly since?: Date;
  readonly until?: Date;
  readonly limit: number;
};

function addList(log: CliCommand): void {
  log
    .command('list', { isDefault: true })
    .description('List entries, newest first.')
    .option('--action <word>', 'only this action', parseLoggedAction)
    .option('--who <id>', 'only changes by this user (id or e-mail address), shell user or app')
    .option('--subject <id>', 'only changes of this user, app, transfer or report')
    .option('--since <time>', 'only from this time on, such as 2026-01-31 or 2026-01-31T12:00Z', parseTime)
    .option('--until <time>', 'only before this time', parseTime)
    .option('--limit <n>', 'at most so many', parseLimit, 50)
    .examples('log list --action app-verified --since 2026-01-01')
    .prints(async (service, { action, who, subject, since: from, until: to, limit }: ListOptions) => {
      const { searchLog } = await import('../views/read-log.ts');
      return listedEntries(await searchLog(service, { action, who, subject, from, to }, limit));
    });
}

function addShow(log: CliCommand): void {
  log
    .command('show')
    .description('Show one entry, before and after.')
    .argument('<entry>', 'its number', parseSequence)
    .examples('log show 17')
    .prints(async (service, sequence: bigint) => {
      const { showLogEntry } = await import('../views/read-log.ts');
      return shownEntries(await showLogEntry(service, sequence));
    });
}

function addVerify(log: CliCommand): void {
  log
    .command('verify')
    .description('Compute every hash of the log again. Exits with 1 if an entry was changed, deleted or cut off.')
    .option('--head <file>', 'a file with signed heads that you kept elsewhere: each must be on this chain')
    .examples('log verify', 'log verify --head heads.txt')
    .prints(async (service, { head }: { readonly head?: string }) => {
      const { verifyLog } = await import('../views/verify-log.ts');
      const heads = head === undefined ? [] : headsIn(await readFile(head, 'utf8'));
      if (head !== undefined && heads.length === 0) throw new Error(`There is no signed head in ${head}.`);
      const checked = await withProgress(log.context, 'Computing hashes', (report) =>
        verifyLog(service, heads, (done, of) => report(Number(done), Number(of))),
      );
      return verified(checked);
    });
}

function addHead(log: CliCommand): void {
  log
    .command('head')
    .description('Sign the newest entry. Keep the result elsewhere: `log verify --head` compares it.')
    .examples('log head >> heads.txt')
    .prints(async (service) => {
      const { signHead } = await import('../views/sign-head.ts');
      const head = await signHead(service);
      return { json: head, text: `${head.jws}\n` };
    });
  log
    .command('key')
    .description('Print the public key of the signatures, as a JSON Web Key Set.')
    .json()
    .examples('log key > log-key.json')
    .action(async () => {
      const { readLogKeys } = await import('../views/sign-head.ts');
      print(log.context, { json: true }, { json: await withService(log.context, readLogKeys), text: '' });
    });
}

function addExport(log: CliCommand): void {
  log
    .command('export')
    .description('Print the whole log as JSON lines, with which anybody can verify it. It names users by pseudonyms.')
    .json()
    .examples('log export > log.jsonl')
    .action(async () => {
      const { exportLines } = await import('../views/export-log.ts');
      const { once } = await import('node:events');
      const { out } = log.context;
      await withService(log.context, async (service) => {
        for await (const lines of exportLines(service)) if (!out.write(lines)) await once(out, 'drain');
      });
    });
}

type PruneOptions = { readonly before: PruneFrom; readonly yes?: true };

function addPrune(log: CliCommand): void {
  log
    .command('prune')
    .description('Delete old entries, and leave a signed checkpoint from which verification continues.')
    .requiredOption('--before <time or number>', 'the first entry that stays: a time, or its number', parsePruneFrom)
    .option('--yes', 'delete; otherwise the command only says what it would delete')
    .examples('log prune --before 2026-01-01', 'log prune --before 2026-01-01 --yes')
    .changes(async (service, { before, yes }: PruneOptions) => {
      const { planPruning, pruneLog } = await import('../features/prune-log.ts');
      const plan = await planPruning(service, before);
      const { entries, upTo } = plan;
      if (yes) {
        await withProgress(log.context, 'Deleting entries', (report) =>
          pruneLog(service, plan, (done) => report(done, Number(entries))),
        );
      }
      const what = `${entries} ${entries === 1n ? 'entry' : 'entries'}, up to number ${upTo}`;
      const text = yes
        ? `Deleted ${what}.\n`
        : `This deletes ${what}. Export them first: npx quarters log export. Then run it again with --yes.\n`;
      return { json: { deleted: yes === true, entries, upTo }, text };
    });
}
