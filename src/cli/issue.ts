import type { Command } from 'commander';
import type { Quarters } from '../base/quarters.ts';
import { type CliContext, example, JSON_OPTION, parseAmount, print, withService } from './command.ts';
import { YES_OPTION } from './confirm.ts';
import { formatFacts, jsonAmount, readableAmount } from './format.ts';
import { type ActOptions, REASON_OPTION } from './reason.ts';

export function addIssueCommand(program: Command, context: CliContext): void {
  program
    .command('issue')
    .description('Issue quarters from the treasury. A running service sends the transaction.')
    .argument('<recipient>', 'an Ethereum address, app id or user id')
    .argument('<quarters>', 'a whole number, digits only', parseAmount)
    .option('--key <key>', 'idempotency key: within 24 hours, the same key issues only once')
    .option(...REASON_OPTION)
    .option(...YES_OPTION)
    .option(...JSON_OPTION)
    .addHelpText(
      'after',
      example(
        'issue 0x52908400098527886E0F7030069857D2E4169EE7 1000',
        'issue Zk3vQ0dT8aLm5nXy7pRs 250000 --key season-7',
      ),
    )
    .action(
      async (recipient: string, amount: Quarters, { key, ...options }: ActOptions & { readonly key?: string }) => {
        const { act } = await import('./perform.ts');
        const { action, replayed } = await withService(context, (service) =>
          act(context, options, service, {
            kind: 'issue',
            params: { recipient, quarters: jsonAmount(amount) },
            key: key === undefined ? undefined : { text: key, hours: 24 },
            question: 'Issue these quarters?',
          }),
        );
        const { transferId, txId, to } = action.result as Record<string, string>;
        const json = { transferId, txId, to, quarters: jsonAmount(amount) };
        const text = formatFacts([
          [replayed ? 'Already issued' : 'Issued', readableAmount(amount)],
          ['To', `${to}`],
          ['Transfer', `${transferId}`],
          ['Transaction', `${txId}`],
        ]);
        print(context, options, json, text);
      },
    );
}
