import type { FastifyInstance, FastifyReply } from 'fastify';
import { html } from 'hono/html';
import { type AccountClosure, closeAccount, prepareClosure } from '../../features/accounts/close-account.ts';
import { foldEmail } from '../../identity/users.ts';
import { available } from '../../ledger/accounts.ts';
import type { Service } from '../../settlement/service.ts';
import { field } from '../../web/fields.ts';
import { messagePage } from '../../web/message-page.ts';
import { parameter } from '../../web/request-parameters.ts';
import { sendPage } from '../../web/send-page.ts';
import { clearSessionCookie } from '../../web/session-cookie.ts';
import { readVisitor, signedIn, type Visitor } from '../../web/visitor.ts';
import { appName, form, quarters, sendAccountPage } from './account-frame.ts';

const PATH = '/account/close';
const CLOSED_PATH = '/account/closed';

export function closeRoutes(pages: FastifyInstance, service: Service): void {
  pages.get(
    PATH,
    signedIn(
      service,
      async (_request, reply, visitor) => ask(reply, visitor, await prepareClosure(service, visitor.user)),
      { fresh: true },
    ),
  );
  pages.post(
    PATH,
    signedIn(
      service,
      async (request, reply, visitor) => {
        const { user, session } = visitor;
        const typed = parameter(request.body, 'email')?.trim() ?? '';
        const meant = foldEmail(typed) === foldEmail(user.email);
        if (meant && (await closeAccount(service, user, session))) {
          clearSessionCookie(service, reply);
          return reply.redirect(CLOSED_PATH, 303);
        }
        const closure = await prepareClosure(service, user);
        return ask(reply.code(400), visitor, closure, meant ? undefined : 'That’s not your e-mail address.');
      },
      { fresh: true },
    ),
  );
  pages.get(CLOSED_PATH, async (request, reply) => {
    // A visitor who is still signed in has closed nothing: a link to this page must not frighten them.
    if (await readVisitor(service, request)) return reply.redirect('/account', 303);
    return sendPage(reply, messagePage({ inline: false }, CLOSED));
  });
}

const CLOSED = {
  status: 200,
  title: 'Your account is closed',
  text: 'You’re signed out, and your personal data was erased. Thanks for playing.',
};

function ask(reply: FastifyReply, visitor: Visitor, closure: AccountClosure, error?: string) {
  const { apps } = closure;
  const content =
    apps.length > 0
      ? html`<p>You cannot close your account while you own games. Their players and payments depend on it.</p>
<ul>${apps.map((app) => html`<li>${appName(app)}</li>`)}</ul>
<p>Ask the operator of this service to transfer them to someone else.</p>`
      : html`<p>This cannot be undone. When you close your account:</p>
<ul>
<li>${whatIsLost(closure)}</li>
<li>Payments waiting for your answer are cancelled. Approved payments still go through. Later payments to you go to the operator.</li>
<li>All games lose access to your account.</li>
<li>Your e-mail address, name, password and passkeys are erased.</li>
<li>Past payments and your account’s address stay on the blockchain for ever.</li>
</ul>
<p>You may want to <a href="/account/export.csv">download your activity</a> and <a href="/account/export-profile.csv">your profile</a> first.</p>
${form(
  visitor,
  PATH,
  PATH,
  html`${field({
    name: 'email',
    label: 'To confirm, type your e-mail address',
    type: 'email',
    autocomplete: 'off',
    error,
    hint: visitor.user.email,
  })}
<button class="danger">Close account permanently</button>`,
)}`;
  return sendAccountPage(reply, 'Close your account', content);
}

function whatIsLost({ wallet: { account, reward } }: AccountClosure) {
  const free = available(account);
  const rest = reward > 0n ? html` You lose your reward of ${quarters(reward)}.` : '';
  return free > 0n
    ? html`<strong>Your ${quarters(free)} ${free === 1n ? 'goes' : 'go'} back to the operator</strong> of Quarters.${rest}`
    : html`You have no quarters to lose.${rest}`;
}
