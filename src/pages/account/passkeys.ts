import type { FastifyInstance, FastifyRequest } from 'fastify';
import { html } from 'hono/html';
import { useIn } from '../../features/credentials/passkey-use.ts';
import {
  addPasskey,
  isByPasswordAlone,
  offerPasskey,
  removePasskey,
  removePasskeys,
} from '../../features/credentials/passkeys.ts';
import { listPasskeys, MAX_PASSKEYS, type Passkey } from '../../identity/passkeys.ts';
import type { Service } from '../../service/service.ts';
import { isFrozen } from '../../service/stopped.ts';
import { PASSKEY_SCRIPT } from '../../web/assets.ts';
import { field, hidden } from '../../web/fields.ts';
import { gameText } from '../../web/game-text.ts';
import { answerOf } from '../../web/json-scope.ts';
import type { Markup } from '../../web/layout.ts';
import { parameter } from '../../web/request-parameters.ts';
import { safeReturn, signedIn, type Visitor } from '../../web/visitor.ts';
import { reasonText, type Words } from '../../words/words.ts';
import { card, changed, day, form, frozenNotice, noticeOf, sendAccountPage } from './account-frame.ts';
import { PASSKEYS_PATH, proveForm } from './passkey-code.ts';

const REMOVE_ALL_PATH = `${PASSKEYS_PATH}/remove-all`;

const SCRIPTS = { passkeys: true, times: true, scripts: [PASSKEY_SCRIPT.path] };

/** `frozen`: the notice of a frozen user, who removes passkeys and adds none. */
function passkeyList(
  words: Words,
  visitor: Visitor,
  notice: Markup | null,
  passkeys: readonly Passkey[],
  frozen: Markup | false,
): Markup {
  const says = words.account.passkeyList;
  const list = html`${passkeys.length === 0 ? html`<p>${says.none}</p>` : html`<ul class="rows">${passkeys.map((passkey) => row(words, visitor, passkey))}</ul>`}
${passkeys.length > 1 && removeAllForm(words, visitor, PASSKEYS_PATH)}`;
  const isFull = passkeys.length >= MAX_PASSKEYS;
  const isProved = !isByPasswordAlone(visitor.session);
  const adding = isProved ? addForm(words, visitor) : proveForm(words, visitor, passkeys.length > 0);
  return html`${notice}${frozen}
<p>${says.intro}</p>
${card(list, says.yours)}
${!frozen && card(isFull ? html`<p>${says.full(MAX_PASSKEYS)}</p>` : adding, says.add)}`;
}

function row(words: Words, visitor: Visitor, { id, name, createdAt, lastUsedAt }: Passkey): Markup {
  const says = words.account.passkeyList;
  return html`<li>
<div><strong><bdi>${name}</bdi></strong>
<p class="hint">${lastUsedAt ? says.used(day(words, createdAt), day(words, lastUsedAt)) : says.unused(day(words, createdAt))}</p></div>
${form(
  visitor,
  `${PASSKEYS_PATH}/remove`,
  PASSKEYS_PATH,
  html`${hidden('id', id)}<button class="small" aria-label="${says.removeNamed(name)}">${says.remove}</button>`,
)}
</li>`;
}

/** `page`: where to continue afterwards. */
export function removeAllForm({ account: { passkeyList: says } }: Words, visitor: Visitor, page: string): Markup {
  return html`<p class="hint">${says.removeAllHint}</p>
${form(visitor, REMOVE_ALL_PATH, page, html`<button class="secondary">${says.removeAll}</button>`)}`;
}

function addForm({ account: { passkeyList: says } }: Words, { csrf }: Visitor): Markup {
  return html`<p class="hint" data-without-passkeys>${says.unsupported}</p>
<form id="passkey" data-passkey="make" data-options="/passkeys/options" data-answer="/passkeys" hidden>
${hidden('csrf', csrf)}${hidden('page', PASSKEYS_PATH)}
${field({ name: 'name', label: says.label, maxlength: 60, hint: says.hint })}
<button class="primary">${says.submit}</button>
<p class="error" role="alert" hidden></p>
</form>`;
}

/** Lists a user's passkeys, and removes one or all. Changing what protects an account requires a fresh sign-in. */
export function passkeyPageRoutes(server: FastifyInstance, service: Service): void {
  const fresh = { fresh: true };

  server.get(
    PASSKEYS_PATH,
    signedIn(
      service,
      async (request, reply, visitor) => {
        const { words } = request;
        const { id } = visitor.user;
        const [passkeys, frozen] = await Promise.all([listPasskeys(service.db, id), isFrozen(service, id)]);
        return sendAccountPage(
          reply,
          words.account.passkeys,
          passkeyList(words, visitor, noticeOf(request), passkeys, frozen && frozenNotice(reply)),
          SCRIPTS,
        );
      },
      fresh,
    ),
  );

  server.post(
    `${PASSKEYS_PATH}/remove`,
    signedIn(
      service,
      async (request, reply, { user, session }) => {
        await removePasskey(service, user, session, parameter(request.body, 'id') ?? '');
        return reply.redirect(PASSKEYS_PATH, 303);
      },
      { ...fresh, action: ({ continueForm }) => continueForm.removePasskey },
    ),
  );

  server.post(
    REMOVE_ALL_PATH,
    signedIn(
      service,
      async (request, reply, { user, session }) => {
        await removePasskeys(service, user, session);
        return changed(reply, 'passkeys', safeReturn(parameter(request.body, 'page'), service.publicUrl));
      },
      { ...fresh, action: ({ continueForm }) => continueForm.removePasskeys },
    ),
  );
}

/** What the passkey is to be called; null if that is no name. */
const nameIn = ({ body }: FastifyRequest) => gameText(parameter(body, 'name') ?? '', 60);

/** The script of the same page gets the options for a new passkey, and sends the one that was made. JSON in, JSON out. */
export function passkeyAddingRoutes(server: FastifyInstance, service: Service): void {
  const fresh = { fresh: true };

  server.post(
    '/passkeys/options',
    signedIn(
      service,
      (request, _reply, { user, session }) =>
        offerPasskey(service, user, useIn(session, 'new-passkey', nameIn(request) ?? '')),
      fresh,
    ),
  );

  server.post(
    '/passkeys',
    signedIn(
      service,
      async (request, reply, { user, session }) => {
        const { words } = request;
        const name = nameIn(request);
        if (name === null) {
          return reply.code(422).send({ message: words.account.passkeyList.nameless, field: 'name' });
        }
        const refusal = await addPasskey(service, user, session, { name, answer: answerOf(request) });
        return refusal === null ? { go: PASSKEYS_PATH } : reply.code(422).send({ message: reasonText(words, refusal) });
      },
      fresh,
    ),
  );
}
