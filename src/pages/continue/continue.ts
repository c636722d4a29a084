import type { FastifyInstance } from 'fastify';
import { html } from 'hono/html';
import { DRAFT_MINUTES } from '../../identity/form-drafts.ts';
import type { Service } from '../../service/service.ts';
import { CONTINUE_SCRIPT } from '../../web/assets.ts';
import { hidden } from '../../web/fields.ts';
import { CONTINUE_PATH, type FormDraft, openDraft } from '../../web/form-drafts.ts';
import { layout, type Page } from '../../web/layout.ts';
import type { PageMessage } from '../../web/message-page.ts';
import { pageHead } from '../../web/page-head.ts';
import { sendMessage, sendPage } from '../../web/send-page.ts';
import { signedInRoutes } from '../../web/visitor.ts';
import type { Words } from '../../words/words.ts';

function gone({ continueForm: says }: Words): PageMessage {
  return { status: 404, title: says.gone, text: says.goneText(DRAFT_MINUTES), home: true };
}

/**
 * GET /continue/{id} shows a form that was kept while its sender confirmed who they are. Only they can open it, freshly signed in, in the
 * same browser. Their click sends it on, or the page's own script, the first time they see it.
 */
export function continueRoute(pages: FastifyInstance, service: Service): void {
  const visitors = signedInRoutes(pages, service);
  visitors.get(`${CONTINUE_PATH}:id`, { fresh: true }, async (request, reply, { user, csrf }) => {
    const { words } = request;
    const { id } = request.params as { id: string };
    const draft = await openDraft(service, request, user.id, id);
    if (!draft) return sendMessage(request, reply, gone(words), []);
    // A game's window may have led here through a forgotten password.
    return sendPage(reply, continuePage(words, draft, id, csrf), { script: true, opener: true });
  });
}

function continuePage(words: Words, { path, action, fields }: FormDraft, id: string, csrf: string): Page {
  const says = words.continueForm;
  return layout(
    { inline: false, nav: true },
    says.title,
    html`<main>${pageHead(words, says.title, { sign: 'check' })}
<p>${says.about(action ?? says.something)}</p>
<form method="post" action="${path}" data-continue="${id}">
${hidden('csrf', csrf)}${hidden('draft', id)}${fields.map(([name, value]) => hidden(name, value))}
<button class="primary">${says.submit}</button>
</form>
</main>`,
    CONTINUE_SCRIPT.path,
  );
}
