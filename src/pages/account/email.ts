import type { FastifyInstance, FastifyReply } from 'fastify';
import { html } from 'hono/html';
import { Problem } from '../../base/problems.ts';
import { confirmEmailChange, type EmailChange, startEmailChange } from '../../features/accounts/change-email.ts';
import { mailFolderToShow } from '../../features/mails/mails.ts';
import { readableEmail } from '../../identity/users.ts';
import type { Service } from '../../service/service.ts';
import { field, hidden } from '../../web/fields.ts';
import { onlyShows } from '../../web/language-choice.ts';
import { catchInvalidInput } from '../../web/page-scope.ts';
import { parameter } from '../../web/request-parameters.ts';
import { shownEmail } from '../../web/shown-email.ts';
import { signedIn, type Visitor } from '../../web/visitor.ts';
import { openField, sealField } from '../../web/wizard.ts';
import { refusalText } from '../../words/words.ts';
import { whereMailIs } from '../sign-up/account-forms.ts';
import { card, changed, duration, form, sendAccountPage, unlessFrozen } from './account-frame.ts';

const PATH = '/account/email';
const CONFIRM_PATH = '/account/email/confirm';
const SEALED_FOR = 'e-mail change';

/**
 * Asks for the new address, then for a code from each of the two mailboxes. The second form needs no recent sign-in: it is bound
 * to the session that passed the first, and is valid as long as the codes.
 */
export function emailRoutes(pages: FastifyInstance, service: Service): void {
  pages.get(
    PATH,
    signedIn(
      service,
      unlessFrozen(service, 'emailChange', async (_request, reply, visitor) => ask(reply, visitor)),
      { fresh: true },
    ),
  );
  pages.post(
    PATH,
    signedIn(
      service,
      async (request, reply, visitor) => {
        const wanted = parameter(request.body, 'email') ?? '';
        const change = await catchInvalidInput(() => startEmailChange(service, visitor.user, visitor.session, wanted));
        return change instanceof Problem
          ? ask(reply.code(400), visitor, { value: wanted, error: refusalText(request.words, change) })
          : askCodes(reply, service, visitor, change);
      },
      { fresh: true, action: ({ continueForm }) => continueForm.changeEmail },
    ),
  );
  pages.post(
    CONFIRM_PATH,
    signedIn(service, async (request, reply, visitor) => {
      const says = request.words.account.emailChange;
      const { user, session } = visitor;
      const change = openField<EmailChange>(service.vault, SEALED_FOR, parameter(request.body, 'change'));
      if (change && onlyShows(request)) return askCodes(reply, service, visitor, change);
      const typed = {
        oldCode: parameter(request.body, 'old_code') ?? '',
        newCode: parameter(request.body, 'new_code') ?? '',
      };
      const result = change
        ? await confirmEmailChange(service, user, session, change, typed)
        : { kind: 'stale' as const };
      switch (result.kind) {
        case 'changed':
          return changed(reply, 'email');
        case 'wrong':
          return askCodes(reply.code(400), service, visitor, result.change, result.refused);
        case 'taken':
          return ask(reply.code(409), visitor, { error: says.taken });
        case 'stale':
          return ask(reply.code(400), visitor, { error: says.stale });
      }
    }),
  );
  // Loading the second page by hand starts again.
  pages.get(CONFIRM_PATH, { config: { isUnlisted: true } }, (_request, reply) => reply.redirect(PATH, 303));
}

function ask(reply: FastifyReply, visitor: Visitor, { value, error }: { value?: string; error?: string } = {}) {
  const says = reply.request.words.account.emailChange;
  const content = html`<p>${says.intro(html`<strong>${shownEmail(visitor.user.email)}</strong>`)}</p>
${form(
  visitor,
  PATH,
  PATH,
  html`${field({ name: 'email', label: says.label, type: 'email', autocomplete: 'email', value, error })}
<button class="primary">${says.submit}</button>`,
)}`;
  return sendAccountPage(reply, says.title, card(content));
}

/** `refused`: after codes were typed, those of the others that do not arrive. */
function askCodes(
  reply: FastifyReply,
  service: Service,
  visitor: Visitor,
  change: EmailChange,
  refused?: ReadonlySet<string>,
) {
  const { words } = reply.request;
  const says = words.account.emailChange;
  const code = (name: string, address: string, id: string | null) =>
    id === null
      ? html`<p>${says.codeCorrect(html`<strong>${shownEmail(address)}</strong>`)}</p>`
      : field({
          name,
          label: says.codeSentTo(readableEmail(address)),
          inputmode: 'numeric',
          autocomplete: 'one-time-code',
          maxlength: 20,
          error: refused && (refused.has(id) ? says.codeRefused : says.codeWrong),
        });
  const minutes = (change.expiresAt - Date.now()) / 60_000;
  const time = duration(words, Math.max(1, Math.round(minutes)));
  const isOneLeft = change.oldCodeId === null || change.newCodeId === null;
  const sealed = sealField(service.vault, SEALED_FOR, change, minutes);
  const again = { action: CONFIRM_PATH, hidden: { csrf: visitor.csrf, page: PATH, change: sealed } };
  const content = html`<p>${isOneLeft ? says.otherCodeIntro(time) : says.codesIntro(time)}</p>
${form(
  visitor,
  CONFIRM_PATH,
  PATH,
  html`${hidden('change', sealed)}
${code('old_code', change.from, change.oldCodeId)}
${code('new_code', change.to, change.newCodeId)}
<button class="primary">${says.confirm}</button>`,
)}
${whereMailIs(words, mailFolderToShow(service))}
<p><a href="${PATH}">${says.restart}</a></p>`;
  return sendAccountPage(reply, isOneLeft ? says.otherCodeTitle : says.codesTitle, card(content), { again });
}
