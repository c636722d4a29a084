import { InvalidArgumentError } from 'commander';
import { parseAddress, toChecksum } from '../base/address.ts';
import { currentContext } from '../base/log.ts';
import { Problem } from '../base/problems.ts';
import { withThousands } from '../base/quarters.ts';
import type { NextPublication } from '../features/liabilities/publish.ts';
import type { Publication } from '../liabilities/publications.ts';
import { PUBLICATION_COLUMNS, publicationState } from '../views/liabilities/publication-columns.ts';
import { type CliCommand, type CliContext, type OutputOptions, parseBlock, print, withService } from './command.ts';
import { type ConfirmOptions, confirm, YES_OPTION } from './confirm.ts';
import { formatFacts, formatTable, readableTime } from './format.ts';
import { withProgress } from './progress.ts';

/** Of years, if somebody publishes each day. */
const MOST_ROWS = 1_000;

const quarters = (amount: bigint) => `${withThousands(amount)} quarters`;

export function addLiabilitiesCommands(program: CliCommand, context: CliContext): void {
  const liabilities = program
    .command('liabilities')
    .description('Publish what all players and apps own, so that each can check that they are counted.');
  addPublish(liabilities, context);
  addReading(liabilities, context);
}

function addPublish(liabilities: CliCommand, context: CliContext): void {
  liabilities
    .command('publish')
    .description('Publish at the newest block that no reorganisation should reach any more (FINAL_AFTER).')
    .option(...YES_OPTION)
    .json()
    .examples('liabilities publish', 'liabilities publish --yes')
    .action(async (options: OutputOptions & ConfirmOptions) => {
      const { nextPublication, publishLiabilities } = await import('../features/liabilities/publish.ts');
      const { publicationJson } = await import('../views/liabilities/prove.ts');
      const { publication, replayed } = await withService(context, async (service) => {
        if (!options.yes) {
          const what = nextText(await nextPublication(service));
          await confirm(context, options, { what, question: 'Publish this?' });
        }
        const osUser = currentContext()?.osUser ?? 'unknown';
        return withProgress(context, 'Adding up all accounts', () =>
          publishLiabilities(service, { kind: 'shell', osUser }),
        );
      });
      const title = replayed ? 'Published already.' : 'Published.';
      print(context, options, publicationJson(publication), `${factsOf(publication)}${title}\n`);
    });
}

function nextText({ block, blockHash, inTreasury, supply, earlier }: NextPublication): string {
  const text = formatFacts([
    ['Block', `${block} (${blockHash})`],
    ['Total supply', quarters(supply)],
    ['Treasury', quarters(inTreasury)],
  ]);
  const end = earlier
    ? 'This block is published already. Wait for a newer one.'
    : 'The sums of all balances and rewards at this block become public, and no account.';
  return `${text}${end}\n`;
}

function addReading(liabilities: CliCommand, context: CliContext): void {
  liabilities
    .command('list')
    .description('List what was published, newest first.')
    .json()
    .examples('liabilities list')
    .action(async (options: OutputOptions) => {
      const { listPublications } = await import('../liabilities/publications.ts');
      const { publicationJson } = await import('../views/liabilities/prove.ts');
      const found = await withService(context, ({ db }) => listPublications(db, MOST_ROWS));
      print(context, options, { publications: found.map(publicationJson) }, listText(found));
    });
  liabilities
    .command('show')
    .description('Show what was published at a block.')
    .argument('<block>', 'the number of the block', parseBlock)
    .json()
    .examples('liabilities show 1234567')
    .action(async (block: bigint, options: OutputOptions) => {
      const { findPublication } = await import('../liabilities/publications.ts');
      const { publicationJson } = await import('../views/liabilities/prove.ts');
      const found = await withService(context, ({ db }) => findPublication(db, block));
      if (!found) throw new Problem('not-found', `Nothing was published at block ${block}.`);
      print(context, options, publicationJson(found), factsOf(found));
    });
  liabilities
    .command('prove')
    .description('Print the proof of one account, as its owner downloads it. Guests have no page for that.')
    .argument('<address>', "the account's address", parseAccount)
    .examples('liabilities prove 0x52908400098527886E0F7030069857D2E4169EE7 > proof.json')
    .action(async (address: ReturnType<typeof parseAccount>) => {
      const { proofJson, proveAccount } = await import('../views/liabilities/prove.ts');
      const found = await withService(context, (service) => proveAccount(service, address));
      if (!found) throw new Problem('not-found', 'Nothing that can be proven is published.');
      const { publication, proof } = found;
      if (!proof) throw new Problem('not-found', `No user or app had this account at block ${publication.block}.`);
      const json = proofJson(publication, proof);
      print(context, { json: true }, json, '');
    });
}

function listText(found: readonly Publication[]): string {
  if (found.length === 0) return 'Nothing is published yet.\n';
  return formatTable(Object.values(PUBLICATION_COLUMNS), found);
}

function factsOf(one: Publication): string {
  return formatFacts([
    ['Root', one.root],
    ['Block', `${one.block} (${one.blockHash})`],
    ['Published', readableTime(one.publishedAt)],
    [
      'State',
      one.withdrawnAt
        ? `WITHDRAWN ${readableTime(one.withdrawnAt)}: a reorganisation removed the block`
        : publicationState(one),
    ],
    ['Accounts', withThousands(BigInt(one.accounts))],
    ['Below zero', withThousands(BigInt(one.overdrawn))],
    ['In accounts', quarters(one.balances)],
    ['In rewards', quarters(one.rewards)],
    ['Treasury', `${quarters(one.inTreasury)} (${toChecksum(one.treasury)})`],
    ['Total supply', quarters(one.supply)],
  ]);
}

function parseAccount(text: string) {
  const address = parseAddress(text);
  if (address) return address;
  throw new InvalidArgumentError('Use an Ethereum address. If it has capitals, its checksum must be right.');
}
