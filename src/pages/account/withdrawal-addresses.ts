import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { html } from 'hono/html';
import { toChecksum } from '../../base/address.ts';
import { offerPasskeyUse } from '../../features/credentials/passkeys.ts';
import {
  addressUse,
  addWithdrawalAddress,
  mayWithdraw,
  readStopLink,
  STOP_ADDRESS_PATH,
  stopByLink,
} from '../../features/withdrawals/addresses.ts';
import { clientAddress } from '../../http/rate-limits.ts';
import { listPasskeys } from '../../identity/passkeys.ts';
import type { Service } from '../../service/service.ts';
import { PASSKEY_SCRIPT } from '../../web/assets.ts';
import { field, hidden } from '../../web/fields.ts';
import { answerOf } from '../../web/json-scope.ts';
import { layout, type Markup } from '../../web/layout.ts';
import { pageHead } from '../../web/page-head.ts';
import { catchInvalidInput } from '../../web/page-scope.ts';
import { parameter } from '../../web/request-parameters.ts';
import { sendPage } from '../../web/send-page.ts';
import { signedIn, type Visitor } from '../../web/visitor.ts';
import { refusalText, type Words } from '../../words/words.ts';
import { card, sendAccountPage, unlessFrozen } from './account-frame.ts';
import { ADDRESSES_PATH, needsPasskey, WITHDRAW_PATH } from './withdraw.ts';

/** What a passkey has to sign. */
const OPTIONS_PATH = `${ADDRESSES_PATH}/options`;

/** GET asks for a new address. */
export function addressRoutes(pages: FastifyInstance, service: Service): void {
  if (!mayWithdraw(service)) return;
  pages.get(
    ADDRESSES_PATH,
    signedIn(
      service,
      unlessFrozen(service, 'withdrawals', async (request, reply, visitor) => {
        const { words } = request;
        const passkeys = (await listPasskeys(service.db, visitor.user.id)).length > 0;
        const content = passkeys ? addForm(words, visitor) : needsPasskey(words);
        const scripts = passkeys ? [PASSKEY_SCRIPT.path] : [];
        return sendAccountPage(reply, words.account.withdrawals.add, card(content), { passkeys, scripts });
      }),
    ),
  );
}

/** The same form with the passkey's answer, from the page's script. JSON in, JSON out. */
export function addressByPasskeyRoutes(server: FastifyInstance, service: Service): void {
  if (!mayWithdraw(service)) return;
  const typedIn = ({ body }: FastifyRequest) => parameter(body, 'address') ?? '';
  server.post(
    OPTIONS_PATH,
    signedIn(service, (request, _reply, { session }) =>
      offerPasskeyUse(service, addressUse(session, typedIn(request)), clientAddress(request)),
    ),
  );
  server.post(
    ADDRESSES_PATH,
    signedIn(service, async (request, reply, { user, session }) => {
      const added = { typed: typedIn(request), answer: answerOf(request) };
      const refusal = await catchInvalidInput(() => addWithdrawalAddress(service, user, session, added));
      return refusal
        ? reply.code(422).send({ message: refusalText(request.words, refusal) })
        : { go: `${WITHDRAW_PATH}?changed=withdrawalAddress` };
    }),
  );
}

function addForm(words: Words, { csrf }: Visitor): Markup {
  const says = words.account.withdrawals;
  return html`<p>${says.wait}</p>
<p class="hint" data-without-passkeys>${words.account.passkeyList.unsupported}</p>
<form id="passkey" data-passkey="use" data-options="${OPTIONS_PATH}" data-answer="${ADDRESSES_PATH}" hidden>
${hidden('csrf', csrf)}${hidden('page', ADDRESSES_PATH)}
${field({ name: 'address', label: says.address, autocomplete: 'off', maxlength: 60, hint: says.addressHint })}
<button class="primary">${says.confirm}</button>
<p class="error" role="alert" hidden></p>
</form>`;
}

/**
 * The mailed link. GET only asks, since mail programs open links by themselves; POST stops the address. Nobody needs to be signed in. It works
 * also where withdrawals are off: they may be on again later.
 */
export function stopAddressRoutes(pages: FastifyInstance, service: Service): void {
  pages.get(STOP_ADDRESS_PATH, async (request, reply) => {
    const { words } = request;
    const token = parameter(request.query, 'token') ?? '';
    const found = await readStopLink(service, token);
    if (!found) return sendGone(reply);
    if (found.isStopped) return sendStopped(reply);
    const says = words.account.withdrawals.stop;
    const main = html`<main>${pageHead(words, says.title, { sign: 'shield' })}
<p>${says.text}</p>
<p><code class="copy">${toChecksum(found.address)}</code></p>
<form method="post" action="${STOP_ADDRESS_PATH}">${hidden('token', token)}
<button class="danger">${says.submit}</button>
</form>
</main>`;
    return sendPage(reply, layout({ inline: false }, says.title, main));
  });
  pages.post(STOP_ADDRESS_PATH, async (request, reply) => {
    const stopped = await stopByLink(service, parameter(request.body, 'token') ?? '');
    return stopped ? sendStopped(reply) : sendGone(reply);
  });
}

function sendStopped(reply: FastifyReply) {
  const { words } = reply.request;
  const says = words.account.withdrawals.stop;
  const main = html`<main>${pageHead(words, says.done, { sign: 'check' })}
<p>${says.doneText}</p>
<p class="actions"><a class="primary" href="/forgot">${words.mails.setPassword}</a></p>
</main>`;
  return sendPage(reply, layout({ inline: false }, says.done, main));
}

function sendGone(reply: FastifyReply) {
  const { words } = reply.request;
  const says = words.account.withdrawals.stop;
  const main = html`<main>${pageHead(words, says.gone, { sign: 'clock' })}
<p>${says.goneText}</p>
<p class="actions"><a class="secondary" href="/account">${words.messages.account}</a></p>
</main>`;
  return sendPage(reply.code(410), layout({ inline: false }, says.gone, main));
}
