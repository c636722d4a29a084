import type { FastifyInstance } from 'fastify';
import { html } from 'hono/html';
import { FIRST_WINDOW_SCRIPT } from '../../web/assets.ts';
import { layout } from '../../web/layout.ts';
import { FIRST_WINDOW_PATH } from '../../web/own-window.ts';
import { pageHead } from '../../web/page-head.ts';
import { sendPage } from '../../web/send-page.ts';

/**
 * GET /window is the first page of a window that a game opens by quarters.js, or our frame to sign in. Whoever opened it leads it on.
 *
 * A game's page with `Cross-Origin-Opener-Policy: same-origin` loses it here. Its script closes it then, before anybody can pay or sign in
 * where the result could not be told.
 */
export function firstWindowRoute(pages: FastifyInstance): void {
  pages.get(FIRST_WINDOW_PATH, (request, reply) => {
    const { words } = request;
    const texts = words.firstWindow;
    const main = html`<main>${pageHead(words, texts.title)}<p role="status"></p></main>`;
    const page = layout({ inline: true }, texts.title, main, FIRST_WINDOW_SCRIPT.path);
    return sendPage(reply, page, { script: true, opener: true });
  });
}
