import type { FastifyReply } from 'fastify';
import { html } from 'hono/html';
import { PROGRESS_SCRIPT } from '../../web/assets.ts';
import { hidden } from '../../web/fields.ts';
import { pageHeaders } from '../../web/headers.ts';
import { layout, type Markup } from '../../web/layout.ts';
import { sendPage } from '../../web/send.ts';
import type { Visitor } from '../../web/visitor.ts';

/** Shows a page of somebody's account; below it the way back. `live`: what it shows goes on. */
export function sendAccountPage(
  reply: FastifyReply,
  title: string,
  content: Markup,
  live = false,
): Promise<FastifyReply> {
  const main = html`<main><h1>${title}</h1>
${content}
<p class="back"><a href="/account">Back to your account</a></p></main>`;
  return sendPage(
    reply.headers(pageHeaders({ frameAncestors: [], live })),
    layout({ inline: false, nav: true }, title, main, live ? PROGRESS_SCRIPT.path : undefined),
  );
}

/** A form of the signed-in. `page`: where to go on when they have to sign in again. */
export function form({ csrf }: Visitor, action: string, page: string, content: Markup): Markup {
  return html`<form method="post" action="${action}">${hidden('csrf', csrf)}${hidden('page', page)}
${content}
</form>`;
}

/** After a change: back to the account, which says what was changed. */
export function changed(reply: FastifyReply, what: keyof typeof CHANGES): FastifyReply {
  return reply.redirect(`/account?changed=${what}`, 303);
}

export const CHANGES = {
  name: 'Your name was changed.',
  email: 'Your e-mail address was changed, and you were signed out everywhere else.',
  password: 'Your password was changed, and you were signed out everywhere else.',
} as const;
