import type { Command } from 'commander';
import { toChecksum } from '../base/address.ts';
import { readSuspension, type Suspension } from '../ledger/suspension.ts';
import { acceptSuspension } from '../usecases/operator/accept-suspension.ts';
import { example, JSON_OPTION, type OutputOptions, print, readableTime, withService } from './command.ts';
import type { CliContext } from './context.ts';
import { formatFacts, formatTable } from './table.ts';

const MEANING = `
The chain knows more of this installation than the database does: the database was put back from a backup, or another one is used.
Payments that the chain shows are posted to the ledger all the same. What else the database lost stays lost: accounts made later, with
the quarters on them; payments decided and not mined; which calls were answered, so that games which repeat them pay twice.

If you have a newer copy of the database, stop the service and restore that. Otherwise:

  $ npx quarters suspension accept
`;

export function addSuspensionCommands(program: Command, context: CliContext): void {
  const suspension = program
    .command('suspension')
    .description('Why no payment is decided: the database was found to be older than the chain.');
  suspension
    .command('show', { isDefault: true })
    .description('Show what was found, and what accepting it means.')
    .option(...JSON_OPTION)
    .addHelpText('after', example('suspension'))
    .action(async (options: OutputOptions) => {
      const found = await withService(context, ({ db }) => readSuspension(db));
      const text = found ? `${suspensionText(found)}${MEANING}` : 'Payments are not suspended.\n';
      print(context, options, { suspended: found !== null, ...found }, text);
    });
  suspension
    .command('accept')
    .description('Accept it: what the database lost stays lost, and payments are decided again.')
    .option(...JSON_OPTION)
    .addHelpText('after', example('suspension accept'))
    .action(async (options: OutputOptions) => {
      const { suspension: accepted, relayers } = await withService(context, acceptSuspension);
      const text = `${suspensionText(accepted)}\nAccepted: payments are decided again. Compare ledger and chain now: npx quarters audit\n`;
      print(context, options, { accepted: true, ...accepted, relayers }, text);
    });
}

function suspensionText({ findings, since }: Suspension): string {
  const { relayers, authorizations, authorizationsInAll } = findings;
  const facts = formatFacts([
    ['Suspended since', readableTime(since)],
    ['Relayers the chain has seen more of', `${relayers.length}`],
    ['Payments and cancellations without a transfer', `${authorizationsInAll}`],
  ]);
  const relayerTable = formatTable(
    [{ title: 'RELAYER' }, { title: 'ON THE CHAIN', align: 'right' }, { title: 'IN THE DATABASE', align: 'right' }],
    relayers.map(({ relayer, chain, database }) => [toChecksum(relayer), `${chain}`, `${database}`]),
  );
  const table = formatTable(
    [{ title: 'ACCOUNT' }, { title: 'WHAT' }, { title: 'BLOCK', align: 'right' }, { title: 'TRANSACTION' }],
    authorizations.map(({ account, kind, txId, block }) => [
      toChecksum(account),
      kind === 'used' ? 'paid' : 'cancelled',
      `${block}`,
      txId,
    ]),
  );
  const more = authorizationsInAll - authorizations.length;
  return [
    facts,
    ...(relayers.length > 0 ? [relayerTable] : []),
    ...(authorizations.length > 0 ? [`${table}${more > 0 ? `and ${more} more\n` : ''}`] : []),
  ].join('\n');
}
