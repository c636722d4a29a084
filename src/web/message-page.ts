import { html } from 'hono/html';
import { Problem } from '../base/problems.ts';
import { reasonText, type Words } from '../words/words.ts';
import type { IconName } from './icons.ts';
import { type Frame, layout, type Markup, type Page } from './layout.ts';
import { pageHead } from './page-head.ts';
import type { Shell } from './shell.ts';
import { type WayBack, wayBack } from './way-back.ts';
import { whomToAsk } from './whom-to-ask.ts';

/** A page that only says what is wrong and what the reader can do. */
export type PageMessage = {
  readonly status: number;
  readonly title: string;
  readonly text: string;
  /** Adds a link to the reader's account. Pages of a game's payment have none, because it would not help. */
  readonly home?: true;
  /** Says whom to ask. */
  readonly help?: true;
  /** The game that a page is about, if its reader may know it. */
  readonly back?: WayBack;
};

export const foreignForm = ({ messages }: Words): PageMessage => ({ status: 403, ...messages.foreignForm });

export const gameSuspended = ({ messages }: Words): PageMessage => ({
  status: 403,
  ...messages.suspended,
  help: true,
});

/** The message for an error's status. Of the error's own text, only how long to wait and whom to ask for more rights is shown. */
export function messageForError(words: Words, error: unknown, status: number): PageMessage {
  const { messages } = words;
  if (!(error instanceof Problem)) return messageForStatus(words, status);
  if (error.code === 'outcome-unknown') return { status: 503, ...messages.unknown };
  if (error.code === 'account-frozen') return { status, ...messages.frozen, home: true, help: true };
  if (error.code === 'app-suspended') return gameSuspended(words);
  if (error.code === 'role-not-allowed') return { status, ...messages.role, text: error.message, home: true };
  const message = messageForStatus(words, status);
  if (error.code !== 'too-many-tries') return message;
  // The console's limits have no reason in the catalogue.
  return { ...message, text: error.reason ? reasonText(words, error.reason) : error.message };
}

export function messageForStatus(words: Words, status: number): PageMessage {
  const { messages } = words;
  if (status === 401) return { status, ...messages.expired, home: true };
  if (status === 403) return foreignForm(words);
  if (status === 404) return { status, ...messages.notFound, home: true };
  if (status === 429) return { status, ...messages.tooMany, home: true };
  if (status === 503) return { status, ...messages.busy };
  return status >= 400 && status < 500
    ? { status, ...messages.badForm, home: true }
    : { status: 500, ...messages.broken };
}

export function messagePage(words: Words, frame: Frame, message: PageMessage, shell: Shell): Page {
  const { title, home } = message;
  const account = html`<p class="actions"><a class="secondary" href="/account">${words.messages.account}</a></p>`;
  return layout(
    frame,
    title,
    html`<main>${messageBody(words, message, shell)}${home && !frame.inline && account}</main>`,
  );
}

/** The message inside a page's `main`, for a page that also delivers it to a game. */
export function messageBody(
  words: Words,
  { status, title, text, help, back }: Omit<PageMessage, 'home'>,
  shell: Shell,
): Markup {
  return html`${pageHead(words, title, { sign: signOf(status) })}<p>${text}</p>${help && html`<p>${whomToAsk(words, shell)}</p>`}${back && wayBack(words, back)}`;
}

const SIGNS: Readonly<Record<number, IconName>> = {
  200: 'check',
  401: 'clock',
  403: 'shield',
  404: 'search',
  429: 'clock',
  503: 'clock',
};

function signOf(status: number): IconName {
  return SIGNS[status] ?? 'alert';
}
