import type { FastifyInstance, FastifyReply } from 'fastify';
import { html } from 'hono/html';
import { Problem } from '../../base/problems.ts';
import { confirmEmailChange, type EmailChange, startEmailChange } from '../../features/accounts/change-email.ts';
import { EMAIL_CODE_MINUTES } from '../../identity/email-codes.ts';
import type { Service } from '../../settlement/service.ts';
import { field, hidden } from '../../web/fields.ts';
import { catchInvalidInput } from '../../web/page-scope.ts';
import { parameter } from '../../web/request-parameters.ts';
import { signedIn, type Visitor } from '../../web/visitor.ts';
import { openField, sealField } from '../../web/wizard.ts';
import { changed, form, sendAccountPage } from './account-frame.ts';

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
    signedIn(service, async (_request, reply, visitor) => ask(reply, visitor), { fresh: true }),
  );
  pages.post(
    PATH,
    signedIn(
      service,
      async (request, reply, visitor) => {
        const wanted = parameter(request.body, 'email') ?? '';
        const change = await catchInvalidInput(() => startEmailChange(service, visitor.user, visitor.session, wanted));
        return change instanceof Problem
          ? ask(reply.code(400), visitor, { value: wanted, error: change.message })
          : askCodes(reply, service, visitor, change);
      },
      { fresh: true },
    ),
  );
  pages.post(
    CONFIRM_PATH,
    signedIn(service, async (request, reply, visitor) => {
      const { user, session } = visitor;
      const change = openField<EmailChange>(service.vault, SEALED_FOR, parameter(request.body, 'change'));
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
          return askCodes(reply.code(400), service, visitor, result.change, true);
        case 'taken':
          return ask(reply.code(409), visitor, { error: TAKEN });
        case 'stale':
          return ask(reply.code(400), visitor, { error: STALE });
      }
    }),
  );
  // Loading the second page by hand starts again.
  pages.get(CONFIRM_PATH, { config: { isUnlisted: true } }, (_request, reply) => reply.redirect(PATH, 303));
}

const TAKEN =
  'Another account uses this address, so nothing was changed. If it’s yours, sign in to that account and close it or change its address first.';
const STALE = 'That took too long, or your account was changed in the meantime. Please start again.';

function ask(reply: FastifyReply, visitor: Visitor, { value, error }: { value?: string; error?: string } = {}) {
  const content = html`<p>Your address is <strong>${visitor.user.email}</strong>. We’ll send a code there and one to the new address.</p>
${form(
  visitor,
  PATH,
  PATH,
  html`${field({ name: 'email', label: 'New e-mail address', type: 'email', autocomplete: 'email', value, error })}
<button class="primary">Send both codes</button>`,
)}`;
  return sendAccountPage(reply, 'Change your e-mail address', content);
}

function askCodes(reply: FastifyReply, { vault }: Service, visitor: Visitor, change: EmailChange, wrong = false) {
  const code = (name: string, address: string, id: string | null) =>
    id === null
      ? html`<p>The code sent to <strong>${address}</strong> was correct.</p>`
      : field({
          name,
          label: `Code sent to ${address}`,
          inputmode: 'numeric',
          autocomplete: 'one-time-code',
          maxlength: 20,
          error: wrong ? 'Wrong or expired code.' : undefined,
        });
  const minutes = (change.expiresAt - Date.now()) / 60_000;
  const content = html`<p>We sent a six-digit code to each address. The codes expire in ${EMAIL_CODE_MINUTES} minutes.</p>
${form(
  visitor,
  CONFIRM_PATH,
  PATH,
  html`${hidden('change', sealField(vault, SEALED_FOR, change, minutes))}
${code('old_code', change.from, change.oldCodeId)}
${code('new_code', change.to, change.newCodeId)}
<button class="primary">Change address</button>`,
)}
<p><a href="${PATH}">Start again</a></p>`;
  return sendAccountPage(reply, 'Enter both codes', content);
}
