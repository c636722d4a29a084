import type { FastifyReply } from 'fastify';
import { html } from 'hono/html';
import type { App } from '../identity/apps.ts';
import type { Words } from '../words/words.ts';
import { OWN_WINDOW_SCRIPT, RESULT_SCRIPT } from './assets.ts';
import { asker, branding } from './branding.ts';
import { layout, type Markup, type Page } from './layout.ts';
import { audienceAttributes } from './result-delivery.ts';
import { sendPage } from './send-page.ts';
import { backTo } from './way-back.ts';

/** The first page of a window, which closes one that has lost the page that opened it. */
export const FIRST_WINDOW_PATH = '/window';

type OwnWindow = {
  readonly inline: boolean;
  readonly title: string;
  /** What the game asks for: the heading. */
  readonly asks: Markup | string;
  /** The button's words. */
  readonly button: string;
  /** The page for our own window, with `opened_by=frame`. */
  readonly windowPath: string;
  /** The same page for the whole tab, if the browser blocks the window. */
  readonly tabPath: string;
  /** Where the page reads whether it is decided, with a token, if the window cannot tell it. Undefined: only the window can. */
  readonly followPath?: string;
  readonly app: App;
  readonly frameId: string | undefined;
};

/**
 * What a frame shows instead of a page for full users. The game around a frame could cover our buttons (clickjacking), and the
 * frame gets no cookie. So nobody signs in or decides here: the button opens our own window, which posts the outcome to this
 * page, and this page delivers it to the game.
 */
export function offerOwnWindow(reply: FastifyReply, page: OwnWindow): Promise<FastifyReply> {
  return sendPage(reply, ownWindowPage(reply.request.words, page, reply.server.shell.brandName), {
    frameAncestors: page.app.frameAncestors,
    script: true,
    live: page.followPath !== undefined,
  });
}

function ownWindowPage(words: Words, page: OwnWindow, brandName: string): Page {
  const texts = words.ownWindow;
  const { inline, title, asks, button, windowPath, tabPath, followPath, app, frameId } = page;
  return layout(
    { inline },
    title,
    html`<main class="sheet"${audienceAttributes(app, frameId)} ${followPath === undefined ? html`data-first="${FIRST_WINDOW_PATH}"` : html`data-follow="${followPath}"`}>
<div data-open>${branding(words, app)}</div>
<h1 class="asks">${asker(words, app)}${asks}</h1>
<p role="status">${texts.why(brandName)}</p>
<p class="actions leave" data-back hidden><a class="primary">${backTo(words, app)}</a></p>
<div class="actions" data-open><a class="primary" href="${windowPath}" target="_blank" rel="opener">${button}</a>
<p class="notice" data-refused hidden>${texts.refused(html`<a href="${tabPath}" target="_top">${texts.thisTab}</a>`)}</p></div>
</main>`,
    RESULT_SCRIPT.path,
    OWN_WINDOW_SCRIPT.path,
  );
}
