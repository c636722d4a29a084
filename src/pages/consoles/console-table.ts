import { html } from 'hono/html';
import type { Markup } from '../../web/layout.ts';

/**
 * A table of a console. If it is wider than its place, it scrolls in it, by keyboard too. `caption`: what it holds, for screen readers.
 * `kind`: its classes. One with `amounts` is a table on phones too, since people compare what stands below each other. In all others a row
 * becomes a block there, so their cells need `data-label`.
 */
export function consoleTable(caption: Markup | string, content: Markup, kind = ''): Markup {
  return html`<div class="scroll" role="group" aria-label="${caption}" tabindex="0"><table class="data${kind && ` ${kind}`}">
<caption class="visually-hidden">${caption}</caption>
${content}
</table></div>`;
}
