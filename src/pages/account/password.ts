import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { html } from 'hono/html';
import type { Problem } from '../../base/problems.ts';
import { changePassword, type PasswordChange, passwordUse } from '../../features/credentials/change-password.ts';
import { offerPasskeyUse } from '../../features/credentials/passkey-use.ts';
import { clientAddress } from '../../http/rate-limits.ts';
import { listPasskeys } from '../../identity/passkeys.ts';
import type { Service } from '../../service/service.ts';
import { PASSKEY_SCRIPT, PASSWORD_SCRIPT } from '../../web/assets.ts';
import { field, hidden, newPasswordField } from '../../web/fields.ts';
import { answerOf, refuseEntry } from '../../web/json-scope.ts';
import { keepBrowserKnown } from '../../web/known-browsers.ts';
import type { Markup } from '../../web/layout.ts';
import { catchInvalidInput, catchRefusal } from '../../web/page-scope.ts';
import { parameter } from '../../web/request-parameters.ts';
import { sessionCookie } from '../../web/session-cookie.ts';
import { signedIn, type Visitor } from '../../web/visitor.ts';
import { entryFault, refusalText, type Words } from '../../words/words.ts';
import { card, changed, sendAccountPage, unlessFrozen } from './account-frame.ts';

const PATH = '/account/password';
const FORM_ID = 'change';

const FORGOT = `/forgot?${new URLSearchParams({ return_to: '/account' })}`;

const PASSKEY_PATH = `${PATH}/passkey`;
const OPTIONS_PATH = `${PASSKEY_PATH}/options`;

/** Takes the new and the current password. The current one proves more than a recent sign-in, so none is needed. */
export function passwordRoutes(pages: FastifyInstance, service: Service): void {
  pages.get(
    PATH,
    signedIn(
      service,
      unlessFrozen(service, 'passwordChange', async (_request, reply, visitor) => ask(reply, service, visitor)),
    ),
  );
  pages.post(
    PATH,
    signedIn(service, async (request, reply, visitor) => {
      const { user, session } = visitor;
      const typed = (name: string) => parameter(request.body, name) ?? '';
      const change: PasswordChange = {
        password: typed('password'),
        proof: { kind: 'password', password: typed('current_password') },
        client: clientAddress(request),
      };
      const act = () => changePassword(service, user, session, change);
      const refusal = await catchRefusal(act, 'invalid-input', 'too-many-tries');
      if (refusal) return ask(reply.code(refusal.status), service, visitor, refusal);
      await keepBrowserKnown(service, reply, sessionCookie(service, request)!);
      return changed(reply, 'password');
    }),
  );
}

const passwordIn = ({ body }: FastifyRequest) => parameter(body, 'password') ?? '';

/** The same with a passkey: the page's script fetches the challenge and sends the answer with the new password. JSON in, JSON out. */
export function passwordByPasskeyRoutes(server: FastifyInstance, service: Service): void {
  server.post(
    OPTIONS_PATH,
    signedIn(service, (request, _reply, { session }) =>
      offerPasskeyUse(service, passwordUse(session, passwordIn(request)), clientAddress(request)),
    ),
  );
  server.post(
    PASSKEY_PATH,
    signedIn(service, async (request, reply, { user, session }) => {
      const refusal = await catchInvalidInput(() =>
        changePassword(service, user, session, {
          password: passwordIn(request),
          proof: { kind: 'passkey', answer: answerOf(request) },
          client: clientAddress(request),
        }),
      );
      if (refusal) return refuseEntry(reply, refusal);
      await keepBrowserKnown(service, reply, sessionCookie(service, request)!);
      return { go: '/account?changed=password' };
    }),
  );
}

async function ask(reply: FastifyReply, service: Service, visitor: Visitor, refusal?: Problem) {
  const { words } = reply.request;
  const says = words.account.passwordChange;
  const passkeys = (await listPasskeys(service.db, visitor.user.id)).length > 0;
  const content = html`${refusal?.code === 'too-many-tries' && tooMany(words, refusal)}<p>${says.intro}</p>
${changeForm(words, visitor, refusal)}
${passkeys && passkeyForm(words)}
<p><a href="${FORGOT}">${says.forgotten}</a></p>`;
  const scripts = [PASSWORD_SCRIPT.path, ...(passkeys ? [PASSKEY_SCRIPT.path] : [])];
  return sendAccountPage(reply, says.title, card(content), { passkeys, scripts });
}

function tooMany(words: Words, refusal: Problem): Markup {
  const reset = html`<a href="${FORGOT}">${words.signIn.newPassword}</a>`;
  return html`<p class="notice bad" role="alert">${words.signIn.tooMany(refusalText(words, refusal), reset)}</p>`;
}

function changeForm(words: Words, { user, csrf }: Visitor, refusal?: Problem): Markup {
  const says = words.account.passwordChange;
  // The hidden address tells password managers whose password it is. The strength check refuses it and the name as a password.
  return html`<form method="post" action="${PATH}" id="${FORM_ID}" data-name="${user.displayName}">
${hidden('csrf', csrf)}${hidden('page', PATH)}
<input type="email" name="email" value="${user.email}" autocomplete="username" hidden>
${field({
  name: 'current_password',
  label: says.current,
  type: 'password',
  autocomplete: 'current-password',
  error: entryFault(words, refusal, '/proof'),
})}
${newPasswordField(words, { label: says.next, error: entryFault(words, refusal, '/password') })}
<button class="primary">${says.submit}</button>
</form>`;
}

/** Proves the change in the form above instead of the current password. Stays hidden without JavaScript or passkeys. */
function passkeyForm({ account: { passwordChange: says } }: Words): Markup {
  return html`<form id="passkey" data-passkey="use" data-proves="${FORM_ID}" data-options="${OPTIONS_PATH}" data-answer="${PASSKEY_PATH}" hidden>
<button class="secondary">${says.withPasskey}</button>
<p class="error" role="alert" hidden></p>
</form>`;
}
