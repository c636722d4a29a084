import { readFileSync } from 'node:fs';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { html } from 'hono/html';
import { toChecksum } from '../../../base/address.ts';
import { Problem } from '../../../base/problems.ts';
import type { Service } from '../../../service/service.ts';
import { LOCAL_TIME_SCRIPT } from '../../../web/assets.ts';
import { layout, type Markup } from '../../../web/layout.ts';
import { sendPage } from '../../../web/send-page.ts';
import { readVisitor } from '../../../web/visitor.ts';
import type { Words } from '../../../words/words.ts';
import { findPublication, listPublications, type Publication } from '../store/publications.ts';
import { publicationJson } from '../views/prove.ts';

export const LIABILITIES_PATH = '/liabilities';
/** The script that checks a proof, as everybody downloads it. */
export const VERIFIER_PATH = `${LIABILITIES_PATH}/verify-liability.mjs`;

const VERIFIER = readFileSync(new URL('../../../web/assets/verify-liability.mjs', import.meta.url), 'utf8');

/** Those of two years, published weekly. */
const MOST_ROWS = 104;
/** What anybody may read, scripts of other sites too. Minutes only, because a reorganisation may withdraw a publication. */
const PUBLIC_FILE = {
  'cache-control': 'public, max-age=300',
  'access-control-allow-origin': '*',
  'cross-origin-resource-policy': 'cross-origin',
  'content-security-policy': `default-src 'none'; frame-ancestors 'none'`,
};

/** GET /liabilities, the file of each publication, and the script that checks a proof. Nothing here is about a single account. */
export function publicLiabilitiesRoutes(pages: FastifyInstance, service: Service): void {
  pages.get(LIABILITIES_PATH, (request, reply) => show(service, request, reply));
  pages.get(`${LIABILITIES_PATH}/:block(^\\d{1,15}).json`, async (request, reply) => {
    const { block } = request.params as { block: string };
    const found = await findPublication(service.db, BigInt(block));
    if (!found) throw new Problem('not-found', 'Nothing was published at this block.');
    return reply.headers(PUBLIC_FILE).type('application/json; charset=utf-8').send(publicationJson(found));
  });
  pages.get(VERIFIER_PATH, (_request, reply) =>
    reply.headers(PUBLIC_FILE).type('text/javascript; charset=utf-8').send(VERIFIER),
  );
}

async function show(service: Service, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { words } = request;
  const says = words.liabilities;
  const [visitor, found] = await Promise.all([readVisitor(service, request), listPublications(service.db, MOST_ROWS)]);
  const latest = found.find(({ withdrawnAt }) => !withdrawnAt);
  const main = html`<main class="account">
<h1>${says.title}</h1>
<p>${says.intro(html`<bdi>${service.settings.brandName}</bdi>`)}</p>
${latest ? latestCard(words, latest) : html`<section class="card"><p>${says.none}</p></section>`}
${latest && meaningCards(words)}
${found.length > 0 && allCard(words, found)}
</main>`;
  const frame = { inline: false, nav: visitor !== null, wide: true };
  return sendPage(reply, layout(frame, says.title, main, LOCAL_TIME_SCRIPT.path), { script: true });
}

function latestCard(words: Words, one: Publication): Markup {
  const says = words.liabilities;
  const row = (label: string, value: Markup | string) => html`<div><dt>${label}</dt><dd>${value}</dd></div>`;
  return html`<section class="card"><h2>${says.latest}</h2>
<dl>
${row(says.block, words.number(one.block))}
${row(says.published, publishedAt(words, one))}
${row(says.accounts, words.number(BigInt(one.accounts)))}
${row(says.balances, words.quarters(one.balances))}
${row(says.rewards, words.quarters(one.rewards))}
${row(says.treasury, words.quarters(one.inTreasury))}
${row(says.supply, words.quarters(one.supply))}
${row(says.token, html`<code class="copy">${toChecksum(one.token)}</code>`)}
${row(says.root, html`<code class="copy">${one.root}</code>`)}
</dl>
${one.overdrawn > 0 && html`<p class="notice">${says.overdrawn(one.overdrawn)}</p>`}
</section>`;
}

function meaningCards({ liabilities: says }: Words): Markup {
  const account = html`<a href="/account/proof">${says.account}</a>`;
  const script = html`<a href="${VERIFIER_PATH}">${says.script}</a>`;
  const list = (sentences: readonly string[]) => html`<ul>${sentences.map((one) => html`<li>${one}</li>`)}</ul>`;
  const part = (heading: string, content: Markup) =>
    html`<section class="card"><h2>${heading}</h2>${content}</section>`;
  return html`${part(says.how, html`<p>${says.steps(account, script)}</p>`)}
${part(says.shows, list(says.showsList))}
${part(says.showsNot, list(says.showsNotList))}`;
}

function allCard(words: Words, found: readonly Publication[]): Markup {
  const says = words.liabilities;
  const row = (one: Publication) => html`<li>
<span>${says.block} ${words.number(one.block)}<br><small class="hint">${publishedAt(words, one)}</small></span>
${one.withdrawnAt ? html`<span class="badge">${says.withdrawn}</span>` : html`<span>${words.quarters(one.balances + one.rewards)}</span>`}
<a href="${LIABILITIES_PATH}/${one.block}.json">${says.file}<span class="visually-hidden"> ${says.block} ${words.number(one.block)}</span></a>
</li>`;
  const withdrawn = found.some(({ withdrawnAt }) => withdrawnAt);
  return html`<section class="card"><h2>${says.all}</h2>
<ul class="rows">${found.map(row)}</ul>
${withdrawn && html`<p class="hint">${says.withdrawn}: ${says.withdrawnText}</p>`}</section>`;
}

function publishedAt(words: Words, { publishedAt }: Publication): Markup {
  return html`<time datetime="${publishedAt.toISOString()}" data-day>${words.day(publishedAt)}</time>`;
}
