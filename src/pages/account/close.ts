import type { FastifyInstance, FastifyReply } from 'fastify';
import { html } from 'hono/html';
import { type AccountClosure, closeAccount, prepareClosure } from '../../features/accounts/close-account.ts';
import { foldEmail, readableEmail } from '../../identity/users.ts';
import { available } from '../../ledger/accounts.ts';
import { consolePath, DEVELOPERS_CONSOLE } from '../../service/console-path.ts';
import type { Service } from '../../service/service.ts';
import { field } from '../../web/fields.ts';
import type { Markup } from '../../web/layout.ts';
import { messagePage } from '../../web/message-page.ts';
import { parameter } from '../../web/request-parameters.ts';
import { sendPage } from '../../web/send-page.ts';
import { clearSessionCookie } from '../../web/session-cookie.ts';
import { readVisitor, signedIn, type Visitor } from '../../web/visitor.ts';
import type { Words } from '../../words/words.ts';
import { appName, card, form, sendAccountPage, unlessFrozen } from './account-frame.ts';

const PATH = '/account/close';
const CLOSED_PATH = '/account/closed';

export function closeRoutes(pages: FastifyInstance, service: Service): void {
  pages.get(
    PATH,
    signedIn(
      service,
      unlessFrozen(service, 'closing', async (_request, reply, visitor) =>
        ask(reply, service, visitor, await prepareClosure(service, visitor.user)),
      ),
      { fresh: true },
    ),
  );
  pages.post(
    PATH,
    signedIn(
      service,
      async (request, reply, visitor) => {
        const { user, session } = visitor;
        const typed = parameter(request.body, 'email') ?? '';
        const meant = foldEmail(typed) === foldEmail(user.email);
        if (meant && (await closeAccount(service, user, session))) {
          clearSessionCookie(service, reply);
          return reply.redirect(CLOSED_PATH, 303);
        }
        const closure = await prepareClosure(service, user);
        return ask(
          reply.code(400),
          service,
          visitor,
          closure,
          meant ? undefined : request.words.account.closing.wrongAddress,
        );
      },
      { fresh: true, action: ({ continueForm }) => continueForm.closeAccount },
    ),
  );
  pages.get(CLOSED_PATH, async (request, reply) => {
    const { words } = request;
    const says = words.account.closing;
    // A visitor who is still signed in has closed nothing: a link to this page must not frighten them.
    if (await readVisitor(service, request)) return reply.redirect('/account', 303);
    const message = { status: 200, title: says.closed, text: says.closedText };
    return sendPage(reply, messagePage(words, { inline: false }, message, reply.server.shell));
  });
}

function ask(
  reply: FastifyReply,
  { settings, house }: Pick<Service, 'settings' | 'house'>,
  visitor: Visitor,
  closure: AccountClosure,
  error?: string,
) {
  const { words } = reply.request;
  const says = words.account.closing;
  const { apps } = closure;
  const console = consolePath(house, DEVELOPERS_CONSOLE);
  const refusal = html`<p>${says.ownsGames}</p>
<ul>${apps.map((app) => html`<li>${appName(words, app)}</li>`)}</ul>
<p>${says.handOver(console ? html`<a href="${console}">${says.developerPages}</a>` : says.developerPages)}</p>`;
  const content = apps.length > 0 ? refusal : question(words, visitor, closure, settings.brandName, error);
  return sendAccountPage(reply, says.title, card(content));
}

function question(
  words: Words,
  visitor: Visitor,
  closure: AccountClosure,
  brand: string,
  error: string | undefined,
): Markup {
  const says = words.account.closing;
  const activity = html`<a href="/account/export.csv">${says.exportActivity}</a>`;
  const profile = html`<a href="/account/export-profile.csv">${says.exportProfile}</a>`;
  const confirmation = field({
    name: 'email',
    label: says.confirm,
    type: 'email',
    autocomplete: 'off',
    error,
    hint: readableEmail(visitor.user.email),
  });
  return html`<p>${says.intro}</p>
<ul>
<li>${whatIsLost(words, closure, brand)}</li>
${[says.payments, says.access, says.erased, says.chain].map((sentence) => html`<li>${sentence}</li>`)}
</ul>
<p>${says.exports(activity, profile)}</p>
${form(
  visitor,
  PATH,
  PATH,
  html`${confirmation}
<button class="danger">${says.submit}</button>`,
)}`;
}

function whatIsLost(words: Words, { wallet: { account, reward } }: AccountClosure, brand: string): Markup {
  const says = words.account.closing;
  const free = available(account);
  const amount = html`<strong>${words.quarters(free)}</strong>`;
  const lost = free > 0n ? says.goesBack(amount, free === 1n, brand) : says.nothingToLose;
  return html`${lost}${reward > 0n && `${words.gap}${says.rewardLost(words.quarters(reward))}`}`;
}
