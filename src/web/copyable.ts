import { html } from 'hono/html';
import type { Words } from '../words/words.ts';
import { icon } from './icons.ts';
import type { Markup } from './layout.ts';

// The buttons are hidden until COPY_SCRIPT shows them. Without scripts, a click selects the whole value.

/** A value that never wraps, with a button that copies it. `label`: what it is, for screen readers (`server key`). */
export function copyable(words: Words, text: string, label: string): Markup {
  return html`<span class="copyable"><code tabindex="0" aria-label="${label}">${text}</code>${copyButton(words, label)}</span>`;
}

/** Commands or a payload, whose lines do not wrap either. It scrolls inside the block, by keyboard too. */
export function copyBlock(words: Words, text: string, label: string): Markup {
  return html`<div class="copyable block"><pre tabindex="0" aria-label="${label}"><code>${text}</code></pre>${copyButton(words, label)}</div>`;
}

function copyButton(words: Words, label: string): Markup {
  return html`<button type="button" class="copy-button" hidden aria-label="${words.fields.copy(label)}">${icon('copy')}</button>`;
}
