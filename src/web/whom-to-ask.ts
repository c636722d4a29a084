import { html } from 'hono/html';
import type { Words } from '../words/words.ts';
import type { Markup } from './layout.ts';
import type { Shell } from './shell.ts';

/** Whom a reader asks about what the operator has stopped: a link to the operator's help page, or else the operator's name. */
export function whomToAsk(
  words: Words,
  { supportUrl, brandName }: Pick<Shell, 'supportUrl' | 'brandName'>,
): Markup | string {
  if (!supportUrl) return words.stopped.ask(brandName);
  // A page may be framed by a game, and the help page is not for a frame.
  return html`<a href="${supportUrl}" target="_blank" rel="noopener noreferrer">${words.frame.support}</a>`;
}
