import { html } from 'hono/html';
import type { Markup } from '../../../web/layout.ts';

/** A sentence of the description, in which code stands between backticks. */
export function prose(text: string): Markup {
  const parts = text.split('`');
  return html`${parts.map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : part))}`;
}

/** What a value must be (`a whole number`), as a sentence. */
export function sentence(text: string): string {
  const begun = text.charAt(0).toUpperCase() + text.slice(1);
  return begun === '' || /[.!?]$/.test(begun) ? begun : `${begun}.`;
}
