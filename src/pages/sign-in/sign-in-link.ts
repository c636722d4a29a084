import type { FastifyInstance } from 'fastify';
import { html } from 'hono/html';
import { SIGN_IN_LINK_COMMAND, SIGN_IN_LINK_PATH, signInByLink } from '../../features/sessions/sign-in-link.ts';
import type { Service } from '../../service/service.ts';
import { hidden } from '../../web/fields.ts';
import { arrivingBrowser, signBrowserIn } from '../../web/known-browsers.ts';
import { layout, type Page } from '../../web/layout.ts';
import { pageHead } from '../../web/page-head.ts';
import { parameter } from '../../web/request-parameters.ts';
import { sendPage } from '../../web/send-page.ts';
import type { Words } from '../../words/words.ts';

/**
 * The link signs in the owner of the demo app and leads to it. Only in development mode; elsewhere there is no such route. GET only asks, since
 * whatever shows a preview of a link opens it; POST uses the link up. It takes no address to return to.
 */
export function signInLinkRoute(pages: FastifyInstance, service: Service): void {
  if (!service.development) return;
  pages.get(SIGN_IN_LINK_PATH, async (request, reply) => {
    const page = askPage(request.words, parameter(request.query, 'token') ?? '');
    return sendPage(reply, page);
  });
  pages.post(SIGN_IN_LINK_PATH, async (request, reply) => {
    const token = parameter(request.body, 'token') ?? '';
    const signedIn = await signInByLink(service, token, arrivingBrowser(service, request));
    if (!signedIn) return sendPage(reply.code(410), usedLinkPage(request.words));
    await signBrowserIn(service, reply, signedIn.session);
    return reply.redirect(signedIn.path, 303);
  });
}

function askPage(words: Words, token: string): Page {
  const texts = words.signIn;
  return layout(
    { inline: false },
    texts.title,
    html`<main>${pageHead(words, texts.title, { sign: 'lock' })}
<form method="post" action="${SIGN_IN_LINK_PATH}">${hidden('token', token)}
<button class="primary">${texts.submit}</button>
</form>
</main>`,
  );
}

function usedLinkPage(words: Words): Page {
  const { byLink } = words.signIn;
  return layout(
    { inline: false },
    byLink.usedTitle,
    html`<main>${pageHead(words, byLink.usedTitle, { sign: 'clock' })}
<p>${byLink.usedText}</p>
<p><code class="secret">${SIGN_IN_LINK_COMMAND}</code></p>
</main>`,
  );
}
