import { html } from 'hono/html';
import { Problem } from '../base/problems.ts';
import { type Frame, layout, type Page } from './layout.ts';

/** A page that only says what is wrong and what the reader can do. */
export type PageMessage = {
  readonly status: number;
  readonly title: string;
  readonly text: string;
  /** Adds a link to the reader's account. Pages of a game's payment have none, because it would not help. */
  readonly home?: true;
};

const NOT_FOUND: PageMessage = {
  status: 404,
  title: 'Page not found',
  text: 'The link may be incomplete or out of date, or belong to someone else.',
  home: true,
};

const EXPIRED: PageMessage = {
  status: 401,
  title: 'This page has expired',
  text: 'It was open for too long. Please start again.',
  home: true,
};

export const FOREIGN_FORM: PageMessage = {
  status: 403,
  title: 'That didn’t come from our page',
  text: 'Nothing was changed. If this was you, open the page again and retry there.',
};

const TOO_MANY: PageMessage = {
  status: 429,
  title: 'Too many tries',
  text: 'Please wait and try again.',
  home: true,
};

const BAD_FORM: PageMessage = {
  status: 400,
  title: 'We couldn’t read that',
  text: 'Nothing was changed. Go back, check what you sent and try again.',
  home: true,
};

const BUSY: PageMessage = {
  status: 503,
  title: 'We’re busy right now',
  text: 'Please try again in a moment.',
};

const UNKNOWN: PageMessage = {
  status: 503,
  title: 'We don’t know yet if this went through',
  text: 'Please check in a moment before you try again.',
};

const BROKEN: PageMessage = {
  status: 500,
  title: 'Something went wrong on our side',
  text: 'We’ve logged it. Please try again in a moment.',
};

/** The message for an error's status. Of the error's own text, only how long to wait is shown. */
export function messageForError(error: unknown, status: number): PageMessage {
  if (!(error instanceof Problem)) return messageForStatus(status);
  if (error.code === 'outcome-unknown') return UNKNOWN;
  const message = messageForStatus(status);
  return error.code === 'too-many-tries' ? { ...message, text: error.message } : message;
}

export function messageForStatus(status: number): PageMessage {
  if (status === 401) return EXPIRED;
  if (status === 403) return FOREIGN_FORM;
  if (status === 404) return NOT_FOUND;
  if (status === 429) return TOO_MANY;
  if (status === 503) return BUSY;
  return status >= 400 && status < 500 ? { ...BAD_FORM, status } : BROKEN;
}

export function messagePage(frame: Frame, { title, text, home }: PageMessage): Page {
  const link = home && !frame.inline && html`<p><a href="/account">Your account</a></p>`;
  return layout(frame, title, html`<main><h1>${title}</h1><p>${text}</p>${link}</main>`);
}
