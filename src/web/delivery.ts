import type { FastifyReply, FastifyRequest } from 'fastify';
import { html } from 'hono/html';
import type { App } from '../identity/apps.ts';
import { isInline, parameter } from './arrival.ts';
import { RESULT_SCRIPT } from './assets.ts';
import { pageHeaders } from './headers.ts';
import { layout, type Markup } from './layout.ts';
import type { Message } from './message-page.ts';
import type { ResultFields } from './result-address.ts';
import { sendPage } from './send.ts';

/** What a page hands to the game around it, or to the game whose window opened it. */
export type Delivery = {
  readonly result: ResultFields;
  /** Only pages of this app get it. */
  readonly app: Pick<App, 'id' | 'resultOrigins' | 'frameAncestors'>;
  /** What the game calls the frame; it comes back with the message. */
  readonly frameId?: string | undefined;
  /** This is our own window of a frame of ours: the frame gets the result and hands it on. */
  readonly forOurFrame?: boolean;
  /** Where the player is led where no game's window waits for a message. */
  readonly redirect?: string | undefined;
};

/**
 * Attributes for a page's `main`, with which the script `RESULT_SCRIPT` hands the result over, once per page view. A page
 * with a result is put together so:
 *
 *     reply.headers(pageHeaders({ frameAncestors: app.frameAncestors, script: true, opener: true }))
 *     layout(frame, title, html`<main${deliveryAttributes({ result: { code, success: true }, app, frameId })}>…`, RESULT_SCRIPT.path)
 *
 * with `frameId: frameIdOf(request.query)`; a form in between carries it on as the hidden field `frame_id`.
 */
export function deliveryAttributes({ result, app, frameId, forOurFrame, redirect }: Delivery): Markup {
  return html` data-result="${JSON.stringify(result)}"${audienceAttributes(app, frameId)}${
    forOurFrame && html` data-for-our-frame`
  }${redirect !== undefined && html` data-redirect="${redirect}"`}`;
}

/** Where a script leads there, or can not (a scheme the browser wants a click for): a link. */
export function wayBack({ redirect, forOurFrame }: Pick<Delivery, 'redirect' | 'forOurFrame'>): Markup | string {
  if (redirect === undefined || forOurFrame) return 'You can go back to the game.';
  return html`<a href="${redirect}">Back to the game</a>`;
}

/** Who may hear of a result, for a page that does not know it yet: a frame whose window decides. */
export function audienceAttributes(app: Delivery['app'], frameId: string | undefined): Markup {
  return html` data-app="${app.id}" data-origins="${resultTargets(app).join(' ')}"${frameId !== undefined && html` data-frame-id="${frameId}"`}`;
}

/**
 * What a result may be posted to, as `targetOrigin`: the app's result origins, or, where it has none, whoever may frame us.
 *
 * Of the schemes for apps that bring their own pages, browsers can name `app:` and `capacitor:` with a host only; the
 * host is the one these shells use unless told otherwise. A page from `file:` has the origin `null`, which is that of
 * every attacker's sandboxed frame too: it is never a target.
 */
export function resultTargets({ resultOrigins, frameAncestors }: Omit<Delivery['app'], 'id'>): string[] {
  const origins = resultOrigins.length > 0 ? resultOrigins : frameAncestors;
  return origins
    .filter((origin) => origin !== 'file:')
    .map((origin) => (origin.endsWith(':') ? `${origin}//localhost` : origin));
}

/** What the game calls the frame it opened us in; also names the way the result goes: as a message. */
export function frameIdOf(parameters: unknown): string | undefined {
  return parameter(parameters, 'frame_id')?.slice(0, 200);
}

/** A game that hears what went wrong. */
export type Failure = {
  readonly app: Pick<App, 'id' | 'resultOrigins' | 'frameAncestors'>;
  readonly frameId?: string | undefined;
  readonly requestId?: string | undefined;
};

/** Ends the visit with a page that says what is the matter, and tells the game so too. */
export function sendFailure(
  request: FastifyRequest,
  reply: FastifyReply,
  { status, title, text }: Message,
  { app, requestId, ...way }: Failure,
): Promise<FastifyReply> {
  const result = { ...(requestId !== undefined && { requestId }), error: `${title}. ${text}` };
  const inline = isInline(request.method === 'POST' ? request.body : request.query);
  reply.code(status).headers(pageHeaders({ frameAncestors: app.frameAncestors, script: true, opener: true }));
  const main = html`<main${deliveryAttributes({ result, app, ...way })}><h1>${title}</h1><p>${text}</p></main>`;
  return sendPage(reply, layout({ inline }, title, main, RESULT_SCRIPT.path));
}
