import { columnsFor } from '../base/facts.ts';
import { Problem } from '../base/problems.ts';
import { ATTEMPT_FACTS, REPORTED_TRANSFER_FACTS } from '../views/transfers/transfer-columns.ts';
import { addActionCommands } from './action-commands.ts';
import type { CliCommand } from './command.ts';
import { formatTable } from './format.ts';
import { shown } from './reading.ts';
import { addTransferList } from './transfer-list.ts';
import { parseTransfer } from './values.ts';

export function addTransfersCommands(program: CliCommand): void {
  const transfers = program.command('transfers').description('Inspect transfers.');
  transfers
    .command('show')
    .description('Show a transfer, its request and every transaction that carried it.')
    .argument('<id>', 'a transfer id, request id or transaction hash', parseTransfer)
    .examples('transfers show 019a3f4e-7c1b-7d52-9f0e-3b6a1c2d4e5f')
    .prints(async (service, key: string) => {
      const { showTransfer } = await import('../views/transfers/read-transfers.ts');
      const reports = await showTransfer(service, key);
      if (reports.length === 0) throw new Problem('not-found', `No transfer found for ${key}.`);
      const each = reports.map(({ transfer, ...about }) => {
        const attempts = formatTable(columnsFor(ATTEMPT_FACTS), about.attempts);
        return shown(REPORTED_TRANSFER_FACTS, { ...transfer, ...about }, attempts);
      });
      return { json: { transfers: each.map(({ json }) => json) }, text: each.map(({ text }) => text).join('\n') };
    });
  addTransferList(transfers);
  addActionCommands(transfers);
}
