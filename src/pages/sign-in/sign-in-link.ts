import type { FastifyInstance } from 'fastify';
import { html } from 'hono/html';
import { SIGN_IN_LINK_COMMAND, SIGN_IN_LINK_PATH, signInByLink } from '../../features/sessions/sign-in-link.ts';
import type { Service } from '../../service/service.ts';
import { arrivingBrowser, signBrowserIn } from '../../web/known-browsers.ts';
import { layout, type Page } from '../../web/layout.ts';
import { pageHead } from '../../web/page-head.ts';
import { parameter } from '../../web/request-parameters.ts';
import { sendPage } from '../../web/send-page.ts';
import type { Words } from '../../words/words.ts';

/**
 * GET /sign-in/link signs in the owner of the demo app and leads to it. Only in development mode; elsewhere there is no such route.
 * It takes no address to return to, and none of its own is left in the browser's history.
 */
export function signInLinkRoute(pages: FastifyInstance, service: Service): void {
  if (!service.development) return;
  // A HEAD request would use up the link.
  pages.get(SIGN_IN_LINK_PATH, { exposeHeadRoute: false }, async (request, reply) => {
    const token = parameter(request.query, 'token') ?? '';
    const signedIn = await signInByLink(service, token, arrivingBrowser(service, request));
    if (!signedIn) return sendPage(reply.code(410), usedLinkPage(request.words));
    await signBrowserIn(service, reply, signedIn.session);
    return reply.redirect(signedIn.path, 303);
  });
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
