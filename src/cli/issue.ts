import type { Command } from 'commander';
import type { Quarters } from '../base/quarters.ts';
import {
  type CliContext,
  example,
  JSON_OPTION,
  type OutputOptions,
  parseAmount,
  print,
  withService,
} from './command.ts';
import { formatFacts, jsonAmount, readableAmount } from './format.ts';

export function addIssueCommand(program: Command, context: CliContext): void {
  program
    .command('issue')
    .description('Issue quarters from the treasury. A running service sends the transaction.')
    .argument('<recipient>', 'an Ethereum address, app id or user id')
    .argument('<quarters>', 'a whole number, digits only', parseAmount)
    .option('--key <key>', 'idempotency key: within 24 hours, the same key issues only once')
    .option(...JSON_OPTION)
    .addHelpText(
      'after',
      example(
        'issue 0x52908400098527886E0F7030069857D2E4169EE7 1000',
        'issue Zk3vQ0dT8aLm5nXy7pRs 250000 --key season-7',
      ),
    )
    .action(async (recipient: string, amount: Quarters, options: OutputOptions & { key?: string }) => {
      const { issueQuarters } = await import('../features/payments/issue-quarters.ts');
      const { key } = options;
      const issued = await withService(context, (service) => issueQuarters(service, { recipient, amount, key }));
      const json = {
        transferId: issued.transferId,
        txId: issued.txHash,
        to: issued.recipient,
        quarters: jsonAmount(amount),
      };
      const text = formatFacts([
        [issued.replayed ? 'Already issued' : 'Issued', readableAmount(amount)],
        ['To', issued.recipient],
        ['Transfer', issued.transferId],
        ['Transaction', issued.txHash],
      ]);
      print(context, options, json, text);
    });
}
