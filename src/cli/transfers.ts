import { InvalidArgumentError } from 'commander';
import { toChecksum } from '../base/address.ts';
import type { Column } from '../base/columns.ts';
import { uuidFrom } from '../base/ids.ts';
import { Problem } from '../base/problems.ts';
import type { TransactionAttempt } from '../settlement/tables/transaction-attempts.ts';
import type { TransferReport } from '../views/transfers/read-transfers.ts';
import { ATTEMPT_COLUMNS } from '../views/transfers/transfer-columns.ts';
import { addActionCommands } from './action-commands.ts';
import { type CliCommand, type CliContext, type OutputOptions, print, withService } from './command.ts';
import { formatFacts, formatTable, readableAmount, readableTime } from './format.ts';
import { addTransferList, transferJson } from './transfer-list.ts';

export function addTransfersCommands(program: CliCommand, context: CliContext): void {
  const transfers = program.command('transfers').description('Inspect transfers.');
  transfers
    .command('show')
    .description('Show a transfer, its request and every transaction that carried it.')
    .argument('<id>', 'a transfer id, request id or transaction hash', parseKey)
    .json()
    .examples('transfers show 019a3f4e-7c1b-7d52-9f0e-3b6a1c2d4e5f')
    .action(async (key: string, options: OutputOptions) => {
      const { showTransfer } = await import('../views/transfers/read-transfers.ts');
      const reports = await withService(context, (service) => showTransfer(service, key));
      if (reports.length === 0) throw new Problem('not-found', `No transfer found for ${key}.`);
      print(context, options, { transfers: reports.map(describe) }, reports.map(reportText).join('\n'));
    });
  addTransferList(transfers, context);
  addActionCommands(transfers, context);
}

function parseKey(text: string): string {
  const key = uuidFrom(text) ?? /^0x[0-9a-f]{64}$/i.exec(text)?.[0].toLowerCase();
  if (key) return key;
  throw new InvalidArgumentError(
    'Use an id such as 019a3f4e-7c1b-7d52-9f0e-3b6a1c2d4e5f, or a transaction hash (0x and 64 hexadecimal digits).',
  );
}

function describe({ transfer, request, attempts }: TransferReport) {
  const { requestId, ...facts } = transferJson(transfer);
  return {
    ...facts,
    request: request && {
      id: request.id,
      status: request.status,
      appId: request.appId,
      userId: request.userId,
      description: request.description,
      createdAt: request.createdAt.toISOString(),
    },
    transactions: attempts.map((attempt) => ({
      hash: attempt.hash,
      status: attempt.status,
      relayer: toChecksum(attempt.relayer),
      nonce: Number(attempt.nonce),
      attempt: attempt.attempt,
      minedBlock: attempt.minedBlock === null ? null : Number(attempt.minedBlock),
      createdAt: attempt.createdAt.toISOString(),
    })),
  };
}

function reportText({ transfer, request, attempts }: TransferReport): string {
  const facts = formatFacts([
    ['Transfer', transfer.id],
    ['Status', transfer.status + (transfer.decidedBlock === null ? '' : ` in block ${transfer.decidedBlock}`)],
    ['Amount', readableAmount(transfer.amount)],
    ['From', toChecksum(transfer.from)],
    ['To', toChecksum(transfer.to)],
    ['Accepted', readableTime(transfer.createdAt)],
    ['Request', request ? `${request.id} (${request.status})` : 'none'],
    ...(request ? [['App', request.appId] as const, ['User', request.userId] as const] : []),
    ...(request?.description ? [['Description', request.description] as const] : []),
  ]);
  const { transaction, state, nonce } = ATTEMPT_COLUMNS;
  const columns: Column<TransactionAttempt>[] = [
    transaction,
    state,
    { label: 'Block', kind: 'number', value: ({ minedBlock }) => minedBlock && `${minedBlock}` },
    { ...nonce, value: (one) => `${one.nonce}` },
    { label: 'Attempt', kind: 'number', value: ({ attempt }) => attempt },
  ];
  const table = formatTable(columns, attempts);
  return `${facts}\n${table}`;
}
