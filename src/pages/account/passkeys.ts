import type { FastifyInstance } from 'fastify';
import { html } from 'hono/html';
import { addPasskey, offerPasskey, removePasskey, removePasskeys } from '../../features/credentials/passkeys.ts';
import { listPasskeys, MAX_PASSKEYS, type Passkey } from '../../identity/passkeys.ts';
import type { Service } from '../../settlement/service.ts';
import { PASSKEY_SCRIPT } from '../../web/assets.ts';
import { field, hidden } from '../../web/fields.ts';
import { gameText } from '../../web/game-text.ts';
import { answerOf } from '../../web/json-scope.ts';
import type { Markup } from '../../web/layout.ts';
import { parameter } from '../../web/request-parameters.ts';
import { safeReturn, signedIn, type Visitor } from '../../web/visitor.ts';
import { changed, day, form, noticeOf, sendAccountPage } from './account-frame.ts';

const PASSKEYS_PATH = '/account/passkeys';

const REMOVE_ALL_PATH = `${PASSKEYS_PATH}/remove-all`;

const SCRIPTS = { passkeys: true, scripts: [PASSKEY_SCRIPT.path] };

function passkeyList(visitor: Visitor, notice: Markup | null, passkeys: readonly Passkey[]): Markup {
  return html`${notice}
<p>Sign in with your fingerprint, face or screen lock. It can’t be phished.</p>
<h2>Your passkeys</h2>
${passkeys.length === 0 ? html`<p>No passkeys yet.</p>` : html`<ul class="rows">${passkeys.map((passkey) => row(visitor, passkey))}</ul>`}
${
  passkeys.length > 1 &&
  html`<p class="hint">${REMOVE_ALL_HINT}</p>
${removeAllForm(visitor, PASSKEYS_PATH)}`
}
<h2>New passkey</h2>
${passkeys.length < MAX_PASSKEYS ? addForm(visitor) : html`<p>You have ${MAX_PASSKEYS} passkeys. Remove one to add another.</p>`}`;
}

function row(visitor: Visitor, { id, name, createdAt, lastUsedAt }: Passkey): Markup {
  return html`<li>
<div><strong><bdi>${name}</bdi></strong>
<p class="hint">Added on ${day(createdAt)}; ${lastUsedAt ? html`last used on ${day(lastUsedAt)}` : 'not used yet'}</p></div>
${form(
  visitor,
  `${PASSKEYS_PATH}/remove`,
  PASSKEYS_PATH,
  html`${hidden('id', id)}<button class="small" aria-label="Remove ${name}">Remove</button>`,
)}
</li>`;
}

export const REMOVE_ALL_HINT =
  'Removing all passkeys also signs you out everywhere else. You can add yours again afterwards.';

/** `page`: where to continue afterwards. */
export function removeAllForm(visitor: Visitor, page: string): Markup {
  return form(visitor, REMOVE_ALL_PATH, page, html`<button class="secondary">Remove all passkeys</button>`);
}

function addForm({ csrf }: Visitor): Markup {
  return html`<p class="hint" data-without-passkeys>This needs JavaScript and a browser that supports passkeys.</p>
<form id="passkey" data-passkey="make" data-options="/passkeys/options" data-answer="/passkeys" hidden>
${hidden('csrf', csrf)}${hidden('page', PASSKEYS_PATH)}
${field({ name: 'name', label: 'Name', maxlength: 60, hint: 'To help you recognise it, for example “Phone”.' })}
<button class="primary">Add a passkey</button>
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
        const passkeys = await listPasskeys(service.db, visitor.user.id);
        return sendAccountPage(reply, 'Passkeys', passkeyList(visitor, noticeOf(request), passkeys), SCRIPTS);
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
      fresh,
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
      fresh,
    ),
  );
}

/** The script of the same page gets the options for a new passkey, and sends the one that was made. JSON in, JSON out. */
export function passkeyAddingRoutes(server: FastifyInstance, service: Service): void {
  const fresh = { fresh: true };

  server.post(
    '/passkeys/options',
    signedIn(service, (_request, _reply, { user }) => offerPasskey(service, user), fresh),
  );

  server.post(
    '/passkeys',
    signedIn(
      service,
      async (request, reply, { user, session }) => {
        const name = gameText(parameter(request.body, 'name') ?? '', 60);
        if (name === null) return reply.code(422).send({ message: 'Enter a name.' });
        const refusal = await addPasskey(service, user, session, { name, answer: answerOf(request) });
        return refusal === null ? { go: PASSKEYS_PATH } : reply.code(422).send({ message: refusal });
      },
      fresh,
    ),
  );
}
