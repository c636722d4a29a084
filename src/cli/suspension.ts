import { toChecksum } from '../base/address.ts';
import type { Suspension } from '../ledger/suspension.ts';
import type { CliCommand } from './command.ts';
import { type ConfirmOptions, confirm, YES_OPTION } from './confirm.ts';
import { formatFacts, formatTable } from './format.ts';
import { acceptedText } from './restore-text.ts';

const MEANING = `
The chain has records of this installation that the database lacks. The database was restored from a backup, or it is the wrong one.

If you have a newer copy of the database, stop the service and restore that copy. Otherwise read from the chain what is missing:

  $ npx quarters restore

\`npx quarters suspension accept\` resumes payments without that. Then newer accounts stay lost with the quarters in them, and a game that
repeats an earlier call pays twice.
`;

const NOT_SUSPENDED = `Payments are not suspended: the chain has nothing of this installation that the database lacks.
If it is the chain that went back, everything is sent to it again. See docs/operate/chain.md.
`;

export function addSuspensionCommands(program: CliCommand): void {
  const suspension = program
    .command('suspension')
    .description('Inspect and end a suspension of payments: the database is older than the chain.');
  suspension
    .command('show', { isDefault: true })
    .description('Show what was found and what accepting it means.')
    .examples('suspension')
    .prints(async ({ db }) => {
      const { readSuspension } = await import('../ledger/suspension.ts');
      const found = await readSuspension(db);
      const printed = found ? { text: suspensionText(found), hint: MEANING } : { text: NOT_SUSPENDED };
      return { json: { suspended: found !== null, ...found }, ...printed };
    });
  suspension
    .command('accept')
    .description('Resume payments without reading from the chain what is missing.')
    .option(...YES_OPTION)
    .examples('suspension accept')
    .changes(async (service, options: ConfirmOptions) => {
      const { readSuspension } = await import('../ledger/suspension.ts');
      const { acceptSuspension } = await import('../features/repair/accept-suspension.ts');
      const question = 'Resume payments, and leave all of this lost?';
      const found = await readSuspension(service.db);
      const what = found && `${suspensionText(found)}${MEANING}`;
      if (what) await confirm(program.context, options, { what, question });
      const { suspension: accepted, relayers, late } = await acceptSuspension(service);
      const text = `${suspensionText(accepted)}\n${acceptedText(late)}\n`;
      const hint = 'Read from the chain what is missing as soon as you can: npx quarters restore\n';
      const stillLate = late.map(({ host, pid }) => ({ host, pid }));
      return { json: { accepted: true, ...accepted, relayers, late: stillLate }, text, hint };
    });
}

function suspensionText({ findings, since }: Suspension): string {
  const { relayers, authorizations, authorizationsInAll } = findings;
  const facts = formatFacts([
    ['Suspended since', since],
    ['Relayers with transactions unknown to the database', relayers.length],
    ['Payments and cancellations unknown to the database', authorizationsInAll],
  ]);
  const relayerTable = formatTable(
    [
      { label: 'Relayer', value: ({ relayer }) => toChecksum(relayer) },
      { label: 'Nonce on chain', kind: 'number', value: ({ chain }) => `${chain}` },
      { label: 'Nonce in database', kind: 'number', value: ({ database }) => `${database}` },
    ],
    relayers,
  );
  const table = formatTable(
    [
      { label: 'Account', value: ({ account }) => toChecksum(account) },
      { label: 'Kind', value: ({ kind }) => (kind === 'used' ? 'paid' : 'cancelled') },
      { label: 'Block', kind: 'number', value: ({ block }) => `${block}` },
      { label: 'Transaction', value: ({ txId }) => txId },
    ],
    authorizations,
  );
  const more = authorizationsInAll - authorizations.length;
  return [
    facts,
    ...(relayers.length > 0 ? [relayerTable] : []),
    ...(authorizations.length > 0 ? [`${table}${more > 0 ? `and ${more} more\n` : ''}`] : []),
  ].join('\n');
}
