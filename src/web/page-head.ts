import { html } from 'hono/html';
import type { Words } from '../words/words.ts';
import { type IconName, icon } from './icons.ts';
import type { Markup } from './layout.ts';

type Head = {
  readonly sign?: IconName;
  /** Which step of a wizard this is. */
  readonly step?: readonly [step: number, of: number];
};

/** The head of a page that is about one thing: a drawing, the step, and the title. */
export function pageHead(words: Words, title: string, { sign, step }: Head = {}): Markup {
  return html`${sign && html`<p class="sign" aria-hidden="true">${icon(sign)}</p>`}${
    step && html`<p class="lead">${words.fields.step(...step)}</p>`
  }<h1>${title}</h1>`;
}
