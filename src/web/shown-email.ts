import { html } from 'hono/html';
import { readableEmail } from '../identity/users.ts';
import type { Markup } from './layout.ts';

/** An e-mail address in a sentence. It is read from left to right, whatever the sentence around it is. */
export function shownEmail(email: string): Markup {
  return html`<bdi dir="ltr">${readableEmail(email)}</bdi>`;
}
