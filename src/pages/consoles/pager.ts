import { html } from 'hono/html';
import type { Markup } from '../../web/layout.ts';

/** Links to the first and the next page of a list; nothing if there is one page only. `older`: what the second says. */
export function pager(first: string | false, next: string | false | null, older = 'Older'): Markup | '' {
  if (!first && !next) return '';
  return html`<p class="pager">${first && html`<a href="${first}">Newest</a>`} ${next && html`<a href="${next}" rel="next">${older}</a>`}</p>`;
}

/** Stands where a list of payments ends although there were older ones. `before`: as `archivedBefore` says. */
export function archivedHint(before: Date | null): Markup | '' {
  if (!before) return '';
  return html`<p class="hint">Payments from before ${before.toISOString().slice(0, 10)} are archived. The operator has them in files.</p>`;
}
