import type { FastifyInstance, FastifyReply } from 'fastify';
import { html } from 'hono/html';
import { toChecksum } from '../../../base/address.ts';
import { Problem } from '../../../base/problems.ts';
import { card, day, sendAccountPage } from '../../../pages/account/account-frame.ts';
import type { MenuEntry } from '../../../pages/additions.ts';
import type { Service } from '../../../service/service.ts';
import { readWallet } from '../../../views/accounts/read-account.ts';
import type { Markup } from '../../../web/layout.ts';
import { JSON_TYPE, sendFile } from '../../../web/send-file.ts';
import { signedIn, type Visitor } from '../../../web/visitor.ts';
import type { Words } from '../../../words/words.ts';
import type { LeafProof } from '../store/leaf-chunks.ts';
import { newestProvable, type Publication } from '../store/publications.ts';
import { proofJson, proveAccount } from '../views/prove.ts';
import { LIABILITIES_PATH, VERIFIER_PATH } from './public-liabilities.ts';

const PATH = '/account/proof';
const FILE_NAME = 'quarters-proof.json';
/** The visitor's proof in the newest publication, on a page and as a file. Nobody gets another account's. */
export function proofRoutes(pages: FastifyInstance, service: Service): void {
  const prove = async ({ user }: Visitor) => {
    const { account } = await readWallet(service, user);
    return { account, found: await proveAccount(service, account.address) };
  };
  pages.get(
    PATH,
    signedIn(service, async (_request, reply, visitor) => {
      const says = reply.request.words.account.proof;
      const { account, found } = await prove(visitor);
      if (!found?.proof) return sendAccountPage(reply, says.title, card(found ? says.younger : says.none));
      const address = toChecksum(account.address);
      return sendProof(reply, found.publication, found.proof, address, commandOf(service, found.publication, address));
    }),
  );
  pages.get(
    `${PATH}.json`,
    signedIn(service, async (_request, reply, visitor) =>
      sendFile(reply, visitor.user, { name: FILE_NAME, type: JSON_TYPE }, async () => {
        const { found } = await prove(visitor);
        if (!found?.proof) throw new Problem('not-found', 'There is no proof of this account yet.');
        return JSON.stringify(proofJson(found.publication, found.proof));
      }),
    ),
  );
}

/** Leads to the proof, while one is published. */
export async function proofEntry({ db }: Service, words: Words): Promise<MenuEntry | null> {
  const published = await newestProvable(db);
  const says = words.account.proof;
  return published && { path: PATH, sign: 'scales', label: says.title, now: says.entry(words.number(published.block)) };
}

function commandOf({ chain }: Service, { root }: Publication, address: string): string {
  const options = [
    `--root ${root}`,
    `--address ${address}`,
    `--token ${toChecksum(chain.contracts.token)}`,
    `--chain ${chain.chainId}`,
    '--rpc https://your-node.example',
  ];
  return ['node verify-liability.mjs quarters-proof.json', ...options].join(' \\\n  ');
}

function sendProof(
  reply: FastifyReply,
  publication: Publication,
  proof: LeafProof,
  address: string,
  command: string,
): Promise<FastifyReply> {
  const { words } = reply.request;
  const says = words.account.proof;
  const all = html`<a href="${LIABILITIES_PATH}">${says.sums}</a>`;
  const row = (label: string, value: Markup | string) => html`<div><dt>${label}</dt><dd>${value}</dd></div>`;
  const leaf = html`<p>${says.intro(all)}${words.gap}${says.limits}</p>
<dl>
${row(says.block, words.number(publication.block))}
${row(says.published, day(words, publication.publishedAt))}
${row(says.balance, words.quarters(proof.leaf.balance))}
${row(says.rewards, words.quarters(proof.leaf.rewards))}
${row(says.address, html`<code class="copy">${address}</code>`)}
${row(says.root, html`<code class="copy">${publication.root}</code>`)}
</dl>
<div class="actions"><a class="primary" href="${PATH}.json" download="${FILE_NAME}">${says.download}</a></div>`;
  const script = html`<a href="${VERIFIER_PATH}" download>${says.script}</a>`;
  const check = html`<p>${says.checkIntro(script)}</p>
<pre class="copy" tabindex="0" aria-label="${says.command}"><code>${command}</code></pre>
<p class="hint">${says.compare(all)}</p>`;
  const cards = html`${card(leaf)}${card(check, says.check)}${proof.path.length > 0 && card(pathList(words, proof), says.path)}`;
  return sendAccountPage(reply, says.title, cards, { times: true });
}

function pathList(words: Words, { path }: LeafProof): Markup {
  return html`<p>${words.account.proof.pathIntro}</p>
<ol class="rows">${path.map(
    ({ hash, balance, rewards }) =>
      html`<li><code class="copy">${hash.toString('hex').slice(0, 16)}…</code><span>${words.quarters(balance + rewards)}</span></li>`,
  )}</ol>`;
}
