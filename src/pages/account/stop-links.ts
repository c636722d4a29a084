import type { FastifyInstance, FastifyReply } from 'fastify';
import { html } from 'hono/html';
import { toChecksum } from '../../base/address.ts';
import { readStopPasskeyLink, STOP_PASSKEY_PATH, stopPasskeyByLink } from '../../features/credentials/passkeys.ts';
import { readStopLink, STOP_ADDRESS_PATH, stopByLink } from '../../features/withdrawals/addresses.ts';
import type { Service } from '../../service/service.ts';
import { hidden } from '../../web/fields.ts';
import { onlyShows } from '../../web/language-choice.ts';
import { layout, type Markup } from '../../web/layout.ts';
import { pageHead } from '../../web/page-head.ts';
import { parameter } from '../../web/request-parameters.ts';
import { sendPage } from '../../web/send-page.ts';
import type { Words } from '../../words/words.ts';

/** A mailed link that stops something for good. */
type StopLink = {
  readonly path: string;
  /** What it would stop, as the page shows it; null: that is gone, or the link is too old. */
  read(service: Service, token: string): Promise<{ readonly what: Markup; readonly isStopped: boolean } | null>;
  /** False: that is gone, or the link is too old. */
  stop(service: Service, token: string): Promise<boolean>;
  says(words: Words): Words['account']['withdrawals']['stop'];
};

const LINKS: readonly StopLink[] = [
  {
    // It works also where withdrawals are off: they may be on again later.
    path: STOP_ADDRESS_PATH,
    async read(service, token) {
      const found = await readStopLink(service, token);
      return (
        found && { what: html`<code class="copy">${toChecksum(found.address)}</code>`, isStopped: found.isStopped }
      );
    },
    stop: stopByLink,
    says: ({ account }) => account.withdrawals.stop,
  },
  {
    path: STOP_PASSKEY_PATH,
    async read(service, token) {
      const name = await readStopPasskeyLink(service, token);
      return name === null ? null : { what: html`<strong><bdi>${name}</bdi></strong>`, isStopped: false };
    },
    stop: stopPasskeyByLink,
    says: ({ account }) => account.passkeyList.stop,
  },
];

/** GET only asks, since mail programs open links by themselves; POST stops. Nobody needs to be signed in. */
export function stopLinkRoutes(pages: FastifyInstance, service: Service): void {
  for (const link of LINKS) {
    pages.get(link.path, (request, reply) => ask(service, reply, link, parameter(request.query, 'token') ?? ''));
    pages.post(link.path, async (request, reply) => {
      const token = parameter(request.body, 'token');
      if (onlyShows(request)) return token === undefined ? sendStopped(reply, link) : ask(service, reply, link, token);
      return (await link.stop(service, token ?? '')) ? sendStopped(reply, link) : sendGone(reply, link);
    });
  }
}

async function ask(service: Service, reply: FastifyReply, link: StopLink, token: string) {
  const found = await link.read(service, token);
  if (!found) return sendGone(reply, link);
  if (found.isStopped) return sendStopped(reply, link);
  const says = link.says(reply.request.words);
  const main = html`<main>${pageHead(reply.request.words, says.title, { sign: 'shield' })}
<p>${says.text}</p>
<p>${found.what}</p>
<form method="post" action="${link.path}">${hidden('token', token)}
<button class="danger">${says.submit}</button>
</form>
</main>`;
  const again = { action: link.path, hidden: { token } };
  return sendPage(reply, layout({ inline: false }, says.title, main), { again });
}

function sendStopped(reply: FastifyReply, link: StopLink) {
  const { words } = reply.request;
  const says = link.says(words);
  const main = html`<main>${pageHead(words, says.done, { sign: 'check' })}
<p>${says.doneText}</p>
<p class="actions"><a class="primary" href="/forgot">${words.mails.setPassword}</a></p>
</main>`;
  return sendPage(reply, layout({ inline: false }, says.done, main), { again: { action: link.path, hidden: {} } });
}

function sendGone(reply: FastifyReply, link: StopLink) {
  const { words } = reply.request;
  const says = link.says(words);
  const main = html`<main>${pageHead(words, says.gone, { sign: 'clock' })}
<p>${says.goneText}</p>
<p class="actions"><a class="secondary" href="/account">${words.messages.account}</a></p>
</main>`;
  return sendPage(reply.code(410), layout({ inline: false }, says.gone, main));
}
