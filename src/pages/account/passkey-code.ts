import type { FastifyInstance, FastifyReply } from 'fastify';
import { html } from 'hono/html';
import { isCodeRefused } from '../../features/credentials/email-code.ts';
import { provePasskeyCode, sendPasskeyCode } from '../../features/credentials/passkey-code.ts';
import { mailFolderToShow } from '../../features/mails/mails.ts';
import { EMAIL_CODE_MINUTES } from '../../identity/email-codes.ts';
import type { Service } from '../../service/service.ts';
import { field, hidden } from '../../web/fields.ts';
import { arrivingBrowser, signBrowserIn } from '../../web/known-browsers.ts';
import { onlyShows } from '../../web/language-choice.ts';
import type { Markup } from '../../web/layout.ts';
import { parameter } from '../../web/request-parameters.ts';
import { shownEmail } from '../../web/shown-email.ts';
import { signedIn, signInAddress, type Visitor } from '../../web/visitor.ts';
import type { Words } from '../../words/words.ts';
import { whereMailIs } from '../sign-up/account-forms.ts';
import { card, form, sendAccountPage } from './account-frame.ts';

export const PASSKEYS_PATH = '/account/passkeys';
const CODE_PATH = `${PASSKEYS_PATH}/code`;
const CONFIRM_PATH = `${CODE_PATH}/confirm`;

/** Before somebody whom a password alone has signed in adds a passkey. `hasOne`: they may use one that they have instead. */
export function proveForm(words: Words, visitor: Visitor, hasOne: boolean): Markup {
  const says = words.account.passkeyList;
  return html`<p>${says.prove(html`<strong>${shownEmail(visitor.user.email)}</strong>`)}</p>
${form(visitor, CODE_PATH, PASSKEYS_PATH, html`<button class="primary">${words.signUp.send}</button>`)}
${hasOne && html`<p><a href="${signInAddress(PASSKEYS_PATH, true)}">${says.proveWithPasskey}</a></p>`}`;
}

/** Sends a code to the account's address, and takes it. The session that it proves may add a passkey. */
export function passkeyCodeRoutes(pages: FastifyInstance, service: Service): void {
  pages.post(
    CODE_PATH,
    signedIn(
      service,
      async (_request, reply, visitor) => {
        const id = await sendPasskeyCode(service, visitor.user, visitor.session);
        return askCode(reply, service, visitor, { id });
      },
      { fresh: true },
    ),
  );
  pages.post(
    CONFIRM_PATH,
    signedIn(service, async (request, reply, visitor) => {
      const [id, code] = [parameter(request.body, 'id') ?? '', parameter(request.body, 'code') ?? ''];
      if (onlyShows(request)) return askCode(reply, service, visitor, { id });
      const typed = { id, code, ...arrivingBrowser(service, request) };
      const session = await provePasskeyCode(service, visitor.user, visitor.session, typed);
      if (session === null) {
        const { emailChange } = request.words.account;
        const error = (await isCodeRefused(service, id)) ? emailChange.codeRefused : emailChange.codeWrong;
        return askCode(reply.code(422), service, visitor, { id, error });
      }
      await signBrowserIn(service, reply, session);
      return reply.redirect(PASSKEYS_PATH, 303);
    }),
  );
  // Loading either by hand starts again.
  for (const path of [CODE_PATH, CONFIRM_PATH]) {
    pages.get(path, { config: { isUnlisted: true } }, (_request, reply) => reply.redirect(PASSKEYS_PATH, 303));
  }
}

/** `id`: of the code. It opens nothing without the code, and belongs to the person. */
function askCode(
  reply: FastifyReply,
  service: Service,
  visitor: Visitor,
  { id, error }: { readonly id: string; readonly error?: string },
) {
  const { words } = reply.request;
  const address = html`<strong>${shownEmail(visitor.user.email)}</strong>`;
  const content = html`<p>${words.signUp.codeSent(address, EMAIL_CODE_MINUTES)}</p>
${form(
  visitor,
  CONFIRM_PATH,
  PASSKEYS_PATH,
  html`${hidden('id', id)}
${field({ name: 'code', label: words.signUp.code, inputmode: 'numeric', autocomplete: 'one-time-code', maxlength: 20, error })}
<button class="primary">${words.signUp.continue}</button>`,
)}
${whereMailIs(words, mailFolderToShow(service))}
${form(visitor, CODE_PATH, PASSKEYS_PATH, html`<button class="secondary">${words.signUp.sendAgain}</button>`)}`;
  const again = { action: CONFIRM_PATH, hidden: { csrf: visitor.csrf, page: PASSKEYS_PATH, id } };
  return sendAccountPage(reply, words.signUp.codeTitle, card(content), { again });
}
