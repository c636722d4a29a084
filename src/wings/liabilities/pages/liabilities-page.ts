import { html } from 'hono/html';
import { en } from '../../../../words/en.ts';
import { badge, consoleForm, panel, sendConsolePage } from '../../../pages/consoles/console.ts';
import { dataTable, type ShownColumn } from '../../../pages/consoles/console-table.ts';
import { type OperatorRoutes, operatorPage } from '../../../pages/consoles/operator-frame.ts';
import type { Service } from '../../../service/service.ts';
import { copyable } from '../../../web/copyable.ts';
import { hidden } from '../../../web/fields.ts';
import type { Markup } from '../../../web/layout.ts';
import { parameter } from '../../../web/request-parameters.ts';
import type { Visitor } from '../../../web/visitor.ts';
import { nextPublication, publishLiabilities } from '../features/publish.ts';
import { listPublications, type Publication } from '../store/publications.ts';
import { PUBLICATION_COLUMNS, publicationState } from '../views/publication-columns.ts';
import { LIABILITIES_PATH } from './public-liabilities.ts';

const PATH = '/operator/liabilities';
const PUBLISH_PATH = `${PATH}/publish`;
/** Those of four years, published weekly. */
const MOST_ROWS = 208;

/** GET /operator/liabilities lists what is published. GET and POST …/publish ask for a recent sign-in, and publish one block. */
export function liabilitiesRoutes(operators: OperatorRoutes, service: Service): void {
  operators.get(PATH, async (_request, reply, visitor) => {
    const content = overview(await listPublications(service.db, MOST_ROWS));
    const action = html`<a class="primary" href="${PUBLISH_PATH}">Publish</a>`;
    return sendConsolePage(reply, operatorPage(visitor, 'liabilities', { title: 'Liabilities', content, action }));
  });
  operators.get(PUBLISH_PATH, { fresh: true }, async (_request, reply, visitor) => {
    const content = confirmation(visitor, await nextPublication(service));
    return sendConsolePage(reply, operatorPage(visitor, 'liabilities', { title: 'Publish liabilities', content }));
  });
  operators.post(
    PUBLISH_PATH,
    { fresh: true, action: 'publish a proof of liabilities' },
    async (request, reply, _visitor, operator) => {
      const block = parameter(request.body, 'block') ?? '';
      // The form names its block, so that sending it again publishes nothing else.
      if (/^\d{1,15}$/.test(block)) await publishLiabilities(service, operator, BigInt(block));
      return reply.redirect(PATH, 303);
    },
  );
}

function overview(found: readonly Publication[]): Markup {
  const meaning = html`<p>A publication says how many quarters all players and apps own at one block, and what their rewards are worth. Each player can then check on their account page that their own balance is counted. Everybody sees <a href="${LIABILITIES_PATH}">the public page</a>.</p>
<p class="hint">Proofs are kept for the 8 newest publications, roots for ever. If a reorganisation removes the block of a publication, it is marked as withdrawn.</p>`;
  return html`${panel('What this is', meaning)}${found.length > 0 && panel('Published', list(found))}`;
}

function list(found: readonly Publication[]): Markup {
  const { block, published, accounts, balances, rewards, state, root } = PUBLICATION_COLUMNS;
  const columns: ShownColumn<Publication>[] = [
    { ...block, value: (one) => html`<a href="${LIABILITIES_PATH}/${one.block}.json">${en.number(one.block)}</a>` },
    ...[published, accounts, balances, rewards],
    { ...state, value: stateOf },
    { ...root, value: (one) => html`<code title="${one.root}">${one.root.slice(0, 12)}…</code>` },
  ];
  return dataTable('Publications, newest first', columns, found, { kind: 'amounts', heading: -1 });
}

const LOOKS = { withdrawn: 'bad', provable: 'good', 'root only': 'plain' } as const;

function stateOf(one: Publication): Markup {
  const state = publicationState(one);
  return html`${badge(state, LOOKS[state])}${one.overdrawn > 0 && html` ${badge(`${one.overdrawn} below zero`, 'bad')}`}`;
}

function confirmation(visitor: Visitor, next: Awaited<ReturnType<typeof nextPublication>>): Markup {
  const row = (label: string, value: Markup | string) => html`<div><dt>${label}</dt><dd>${value}</dd></div>`;
  const facts = html`<dl>
${row('Block', en.number(next.block))}
${row('Its hash', copyable(en, next.blockHash, 'hash of the block'))}
${row('Total supply', en.quarters(next.supply))}
${row('In the treasury', en.quarters(next.inTreasury))}
</dl>`;
  if (next.earlier) {
    return panel(
      'Published already',
      html`${facts}<p>This block is published. Wait for a newer one.</p><p><a href="${PATH}">Back</a></p>`,
    );
  }
  const form = html`${hidden('block', String(next.block))}<button class="primary">Publish</button> <p><a href="${PATH}">Cancel</a></p>`;
  return panel(
    'What becomes public',
    html`${facts}
<ul>
<li>The sums of all balances and of all rewards at this block, and the number of accounts. No account, and no name.</li>
<li>Everybody can keep the root. A publication cannot be taken back.</li>
</ul>
${consoleForm(visitor, PUBLISH_PATH, PUBLISH_PATH, form)}`,
  );
}
