import { toChecksum } from '../base/address.ts';
import { withThousands } from '../base/quarters.ts';
import type { AuditReport } from '../diagnostics/audit/audit-ledger.ts';
import type { Difference } from '../diagnostics/audit/findings.ts';
import type { RepairPlan } from '../features/repair/repair-ledger.ts';
import type { Service } from '../service/service.ts';
import type { CliCommand, CliContext, Printed } from './command.ts';
import { type ConfirmOptions, confirm, YES_OPTION } from './confirm.ts';
import { CommandEnd } from './exit-codes.ts';
import { formatFacts, formatTable } from './format.ts';
import { withProgress } from './progress.ts';
import { parseBlock } from './values.ts';

/** Limits a table for people; `--json` prints every row. */
const MOST_ROWS = 100;

const MEANINGS: Record<Difference['kind'], string> = {
  balance: "the account's balance in the ledger and in the token",
  postings: "the account's balance in the ledger and the sum of its postings",
  hold: "the account's hold and the sum of its pending transfers (treasury: plus unclaimed rewards)",
  reward: 'the amount claimed of a reward, or paid by rewards, and the sum of the claims',
  supply: "the sum of all balances in the ledger and the token's total supply",
  unpaid: 'completed transfers and the logs on the chain that paid them',
  undecided: 'accepted transfers and the larger amount moved on the chain: someone else may have the key',
  settled: 'a pending transfer and its open amount: its authorization is already used or cancelled on the chain',
  open: 'a pending transfer and what is listed as open: the service follows only what is listed',
  request: 'a request and what its transfers pay together, or its state and theirs',
};

const REMEDY =
  'If a node gave false logs, correct the ledger: npx quarters audit --repair. Other causes: docs/operate/audit.md\n';

type AuditCommandOptions = ConfirmOptions & { readonly repair?: true; readonly from?: bigint };

export function addAuditCommand(program: CliCommand): void {
  program
    .command('audit')
    .description('Compare the ledger with the chain, to the quarter. Exits with 1 if they differ.')
    .option('--repair', 'read blocks again, and correct what the ledger has of them; asks first')
    .option(
      '--from <block>',
      'with --repair: the first block to read, by default the one after the last equal audit',
      parseBlock,
    )
    .option(...YES_OPTION)
    .examples('audit', 'audit --repair')
    .changes(async (service, options: AuditCommandOptions) => {
      if (options.from !== undefined && !options.repair)
        throw new CommandEnd('wrongUsage', '--from goes with --repair.');
      const { context } = program;
      if (!options.repair) return { ...audited(await audit(service, context)), changesNothing: true };
      return audited(await repair(service, context, options));
    });
}

async function audit(service: Service, context: CliContext): Promise<AuditReport> {
  const { auditAndKeep } = await import('../features/repair/audited-repair.ts');
  return withProgress(context, 'Comparing the ledger with the chain', () => auditAndKeep(service));
}

/** Returns what the audit finds afterwards. */
async function repair(service: Service, context: CliContext, options: AuditCommandOptions): Promise<AuditReport> {
  const { auditAndRepair } = await import('../features/repair/audited-repair.ts');
  const result = await auditAndRepair(service, options.from ?? null, {
    during: (step, work) => withProgress(context, step, work),
    async agree(plan) {
      if (plan.blocks.length + plan.accounts.length === 0) {
        context.err.write(`The ledger has each block from ${plan.from} on as it is on the chain. ${OTHER_CAUSES}\n`);
        return false;
      }
      await confirm(context, options, { what: planText(plan), question: 'Correct the ledger?' });
      return true;
    },
    noteWithdrawn: ({ what, blocks }) =>
      void context.err.write(
        `${what.replace(/^./, (first) => first.toUpperCase())} are withdrawn: those of block ${blocks.join(', ')}.\n`,
      ),
  });
  if (!result)
    throw new CommandEnd('failed', 'Another process audits the ledger at this moment. Try again in a minute.');
  return result;
}

const OTHER_CAUSES =
  'What differs has another cause, or is in an earlier block: see --from, and docs/operate/audit.md for what each kind means.';

function planText({ from, anchor, blocks, accounts }: RepairPlan): string {
  const table = formatTable(
    [
      { label: 'Block', value: ({ number }) => `${number}` },
      { label: 'False postings', kind: 'number', value: ({ falsePostings }) => `${falsePostings.length}` },
      { label: 'Missing postings', kind: 'number', value: ({ missingPostings }) => `${missingPostings}` },
      { label: 'Transfers to open', kind: 'number', value: ({ falselySettled }) => `${falselySettled.length}` },
      { label: 'Transfers to settle', kind: 'number', value: ({ unsettled }) => `${unsettled}` },
    ],
    blocks.slice(0, MOST_ROWS),
  );
  const facts = formatFacts([
    ['Blocks read', `${from} to ${anchor.number}`],
    ['Blocks to correct', blocks.length],
    ['Balances that are not the sum of their postings', accounts.length],
  ]);
  return blocks.length > 0 ? `${facts}\n${table}${omitted(blocks)}` : facts;
}

function audited(report: AuditReport): Printed {
  const count = report.differences.length;
  const end = new Error(`The audit found ${count} ${count === 1 ? 'difference' : 'differences'}.`);
  return { json: describe(report), text: reportText(report), end: count > 0 ? end : undefined };
}

function describe(report: AuditReport) {
  return {
    equal: report.differences.length === 0,
    block: report.block,
    blockHash: report.blockHash,
    accounts: report.accounts,
    onTheirWay: report.onTheirWay,
    supply: report.supply,
    seconds: report.seconds,
    // A wrong amount may be too large for a JSON number, so exact amounts are text.
    differences: report.differences.map(({ kind, account, ledger, other, txHash, transfers, request, status }) => ({
      kind,
      account: account && toChecksum(account),
      ledger: `${ledger}`,
      other: `${other}`,
      difference: `${ledger - other}`,
      ...(txHash && { txId: txHash }),
      ...(request && { request, status }),
      ...(transfers && { transfers }),
    })),
    overdrawn: report.overdrawn.map(({ account, posted, held }) => ({
      account: toChecksum(account),
      posted: `${posted}`,
      held: `${held}`,
    })),
  };
}

function reportText({ differences, overdrawn, ...report }: AuditReport): string {
  const facts = formatFacts([
    ['Block', `${report.block} (${report.blockHash})`],
    ['Accounts', report.accounts],
    ['Pending', `${withThousands(BigInt(report.onTheirWay))} transfers`],
    ['Supply', report.supply],
    ['Duration', `${report.seconds.toFixed(1)} s`],
    ['Result', differences.length === 0 ? 'the ledger equals the chain' : 'THE LEDGER DIFFERS FROM THE CHAIN'],
  ]);
  return [facts, differencesText(differences), overdrawnText(overdrawn)].filter((text) => text !== '').join('\n');
}

function differencesText(differences: readonly Difference[]): string {
  if (differences.length === 0) return '';
  const table = formatTable(
    [
      { label: 'Kind', value: ({ kind }) => kind },
      { label: 'Account', value: ({ account }) => (account ? toChecksum(account) : 'all') },
      { label: 'Ledger', kind: 'number', value: ({ ledger }) => `${ledger}` },
      { label: 'Chain', kind: 'number', value: ({ other }) => `${other}` },
      {
        label: 'Difference',
        kind: 'signed',
        value: ({ ledger, other }) => `${ledger > other ? '+' : ''}${ledger - other}`,
      },
      {
        label: 'Transaction, request or transfer',
        value: ({ txHash, transfers, request, status }) =>
          txHash ?? (request ? `${request} (${status})` : transfers?.join(' ')) ?? '',
      },
    ],
    differences.slice(0, MOST_ROWS),
  );
  const kinds = [...new Set(differences.map(({ kind }) => kind))];
  const meanings = formatFacts(kinds.map((kind) => [kind, MEANINGS[kind]]));
  return `${table}${omitted(differences)}\n${meanings}\n${REMEDY}`;
}

function overdrawnText(overdrawn: AuditReport['overdrawn']): string {
  if (overdrawn.length === 0) return '';
  const table = formatTable(
    [
      { label: 'Overdrawn account', value: ({ account }) => toChecksum(account) },
      { label: 'Posted', kind: 'number', value: ({ posted }) => posted },
      { label: 'On hold', kind: 'number', value: ({ held }) => held },
    ],
    overdrawn.slice(0, MOST_ROWS),
  );
  return `${table}${omitted(overdrawn)}`;
}

function omitted(rows: readonly unknown[]): string {
  return rows.length > MOST_ROWS ? `and ${rows.length - MOST_ROWS} more (--json prints all)\n` : '';
}
