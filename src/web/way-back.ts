import { html } from 'hono/html';
import type { App } from '../identity/apps.ts';
import type { Words } from '../words/words.ts';
import { quoted } from './branding.ts';
import type { Markup } from './layout.ts';

type Game = Pick<App, 'name'>;

/** The game that a page leads back to. `address`: undefined if the game is around the page, or waits in the window that opened it. */
export type WayBack = { readonly app: Game; readonly address?: string | undefined };

/** What a button says that leads back. A long name is cut, so that the button keeps one line. */
export function backTo(words: Words, { name }: Game): Markup {
  return html`<span class="to-game">${words.messages.backToGame(quoted(words, name))}</span>`;
}

/**
 * Ends a page on which nothing is left to do. An address is a link, because some browsers open an app's scheme only by a click. Without one,
 * `RESULT_SCRIPT` shows the button where the window can be closed.
 */
export function wayBack(words: Words, { app, address }: WayBack): Markup {
  const label = backTo(words, app);
  if (address !== undefined)
    return html`<p class="actions leave"><a class="primary" href="${address}">${label}</a></p>`;
  return html`<p class="lead" data-stays>${words.messages.canGoBack(quoted(words, app.name))}</p>
<p class="actions leave" data-closes hidden><button class="primary">${label}</button></p>`;
}
