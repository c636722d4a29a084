import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { html } from 'hono/html';
import { signOut } from '../../features/sessions/sign-out.ts';
import type { Service } from '../../service/service.ts';
import { hidden } from '../../web/fields.ts';
import { checksForm } from '../../web/form-guard.ts';
import { layout, type Page } from '../../web/layout.ts';
import { pageHead } from '../../web/page-head.ts';
import { sendPage } from '../../web/send-page.ts';
import { clearSessionCookie, sessionCookie } from '../../web/session-cookie.ts';
import { shownEmail } from '../../web/shown-email.ts';
import { readVisitor, signedIn, type Visitor } from '../../web/visitor.ts';
import type { Words } from '../../words/words.ts';

/**
 * POST /sign-out ends the session; the button in every page's header sends it. GET only asks: a link or an image on another site signs
 * nobody out.
 */
export function signOutRoutes(server: FastifyInstance, service: Service): void {
  server.get('/sign-out', async (request, reply) => {
    const { words } = request;
    const visitor = await readVisitor(service, request);
    return sendPage(reply, visitor ? askPage(words, visitor) : donePage(words));
  });

  const end = signedIn(service, async (request, reply) => {
    await signOut(service, sessionCookie(service, request)!);
    clearSessionCookie(service, reply);
    return reply.redirect('/sign-out', 303);
  });

  // Already signed out in another tab: do not ask for a sign-in.
  server.post(
    '/sign-out',
    checksForm(async (request: FastifyRequest, reply: FastifyReply) =>
      (await readVisitor(service, request)) ? end(request, reply) : reply.redirect('/sign-out', 303),
    ),
  );
}

function askPage(words: Words, { user, csrf }: Visitor): Page {
  const texts = words.signOut;
  return layout(
    { inline: false },
    texts.title,
    html`<main>${pageHead(words, texts.title, { sign: 'leave' })}
<p>${texts.signedInAs(html`<strong>${shownEmail(user.email)}</strong>`)}${words.gap}${texts.access(html`<a href="/account">${texts.yourAccount}</a>`)}</p>
<form method="post" action="/sign-out">
${hidden('csrf', csrf)}
<button class="primary">${texts.submit}</button>
<a class="secondary" href="/account">${texts.stay}</a>
</form>
</main>`,
  );
}

function donePage(words: Words): Page {
  const texts = words.signOut;
  return layout(
    { inline: false },
    texts.done,
    html`<main>${pageHead(words, texts.done, { sign: 'check' })}
<p class="actions"><a class="primary" href="/sign-in">${words.signIn.submit}</a></p>
</main>`,
  );
}
