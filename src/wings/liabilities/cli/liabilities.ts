import { toChecksum } from '../../../base/address.ts';
import { currentContext } from '../../../base/log.ts';
import { pastedAddress } from '../../../base/pasted-address.ts';
import { Problem } from '../../../base/problems.ts';
import { type CliCommand, print, withService } from '../../../cli/command.ts';
import { type ConfirmOptions, confirm, YES_OPTION } from '../../../cli/confirm.ts';
import { formatFacts, readableAmount, readableTime } from '../../../cli/format.ts';
import { withProgress } from '../../../cli/progress.ts';
import { listed } from '../../../cli/reading.ts';
import { parseBlock, parseTypedAddress } from '../../../cli/values.ts';
import type { NextPublication } from '../features/publish.ts';
import type { Publication } from '../store/publications.ts';
import { PUBLICATION_COLUMNS, publicationState } from '../views/publication-columns.ts';

/** Of years, if somebody publishes each day. */
const MOST_ROWS = 1_000;

export function addLiabilitiesCommands(program: CliCommand): void {
  const liabilities = program
    .command('liabilities')
    .description('Publish what all players and apps own, so that each can check that they are counted.');
  addPublish(liabilities);
  addReading(liabilities);
}

function addPublish(liabilities: CliCommand): void {
  liabilities
    .command('publish')
    .description('Publish at the newest block that no reorganisation should reach any more (FINAL_AFTER).')
    .option(...YES_OPTION)
    .examples('liabilities publish', 'liabilities publish --yes')
    .changes(async (service, options: ConfirmOptions) => {
      const { nextPublication, publishLiabilities } = await import('../features/publish.ts');
      const { publicationJson } = await import('../views/prove.ts');
      const { context } = liabilities;
      if (!options.yes) {
        const what = nextText(await nextPublication(service));
        await confirm(context, options, { what, question: 'Publish this?' });
      }
      const osUser = currentContext()?.osUser ?? 'unknown';
      const { publication, replayed } = await withProgress(context, 'Adding up all accounts', () =>
        publishLiabilities(service, { kind: 'shell', osUser }),
      );
      const title = replayed ? 'Published already.' : 'Published.';
      return { json: publicationJson(publication), text: `${factsOf(publication)}${title}\n` };
    });
}

function nextText({ block, blockHash, inTreasury, supply, earlier }: NextPublication): string {
  const text = formatFacts([
    ['Block', `${block} (${blockHash})`],
    ['Total supply', supply],
    ['Treasury', inTreasury],
  ]);
  const end = earlier
    ? 'This block is published already. Wait for a newer one.'
    : 'The sums of all balances and rewards at this block become public, and no account.';
  return `${text}${end}\n`;
}

function addReading(liabilities: CliCommand): void {
  liabilities
    .command('list')
    .description('List what was published, newest first.')
    .examples('liabilities list')
    .prints(async ({ db }) => {
      const { listPublications } = await import('../store/publications.ts');
      const { publicationJson } = await import('../views/prove.ts');
      const found = await listPublications(db, MOST_ROWS);
      const none = 'Nothing is published yet.';
      return listed({ publications: found.map(publicationJson) }, Object.values(PUBLICATION_COLUMNS), found, { none });
    });
  liabilities
    .command('show')
    .description('Show what was published at a block.')
    .argument('<block>', 'the number of the block', parseBlock)
    .examples('liabilities show 1234567')
    .prints(async ({ db }, block: bigint) => {
      const { findPublication } = await import('../store/publications.ts');
      const { publicationJson } = await import('../views/prove.ts');
      const found = await findPublication(db, block);
      if (!found) throw new Problem('not-found', `Nothing was published at block ${block}.`);
      return { json: publicationJson(found), text: factsOf(found) };
    });
  liabilities
    .command('prove')
    .description('Print the proof of one account, as its owner downloads it. Guests have no page for that.')
    .argument('<address>', "the account's address", parseTypedAddress)
    .json()
    .examples('liabilities prove 0x52908400098527886E0F7030069857D2E4169EE7 > proof.json')
    .action(async (text: string) => {
      const { proofJson, proveAccount } = await import('../views/prove.ts');
      const found = await withService(liabilities.context, (service) =>
        proveAccount(service, pastedAddress(text, service.chain.chainId, '/address')),
      );
      if (!found) throw new Problem('not-found', 'Nothing that can be proven is published.');
      const { publication, proof } = found;
      if (!proof) throw new Problem('not-found', `No user or app had this account at block ${publication.block}.`);
      print(liabilities.context, { json: true }, { json: proofJson(publication, proof), text: '' });
    });
}

function factsOf(one: Publication): string {
  return formatFacts([
    ['Root', one.root],
    ['Block', `${one.block} (${one.blockHash})`],
    ['Published', one.publishedAt],
    [
      'State',
      one.withdrawnAt
        ? `WITHDRAWN ${readableTime(one.withdrawnAt)}: a reorganisation removed the block`
        : publicationState(one),
    ],
    ['Accounts', one.accounts],
    ['Below zero', one.overdrawn],
    ['In accounts', one.balances],
    ['In rewards', one.rewards],
    ['Treasury', `${readableAmount(one.inTreasury)} (${toChecksum(one.treasury)})`],
    ['Total supply', one.supply],
  ]);
}
