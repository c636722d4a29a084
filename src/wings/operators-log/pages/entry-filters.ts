import { html } from 'hono/html';
import { isDay } from '../../../base/dates.ts';
import { ALL_LOGGED_ACTIONS } from '../../../operator-log/logged-actions.ts';
import { choice } from '../../../web/fields.ts';
import type { Markup } from '../../../web/layout.ts';
import { parameter } from '../../../web/request-parameters.ts';
import type { LogSearch } from '../views/read-log.ts';
import { wordsOf } from './entry-words.ts';

const NAMES = ['action', 'who', 'subject', 'from', 'to'] as const;

/** What an operator asks for, as the address says it. */
export type AskedEntries = { readonly [K in (typeof NAMES)[number]]?: string };

const MAX_LENGTH = 100;

/** The parameters of the log's page. Others are ignored. */
export function readAskedEntries(query: unknown): AskedEntries {
  const given = NAMES.map((name) => [name, cleaned(parameter(query, name))] as const);
  return Object.fromEntries(given.filter(([, value]) => value !== undefined && value !== ''));
}

function cleaned(value: string | undefined): string | undefined {
  return value
    ?.replaceAll(/\p{Cc}/gu, '')
    .trim()
    .slice(0, MAX_LENGTH)
    .toWellFormed();
}

/** Values that mean nothing count as missing, since an address may be typed. */
export function searchIn({ action, who, subject, from, to }: AskedEntries): LogSearch {
  return {
    action: ALL_LOGGED_ACTIONS.find((word) => word === action),
    who,
    subject,
    from: dayOf(from),
    to: dayOf(to, 1),
  };
}

/** The beginning of a day in UTC, `later` days later. */
function dayOf(text = '', later = 0): Date | undefined {
  return isDay(text) ? new Date(Date.parse(text) + later * 86_400_000) : undefined;
}

export const LOG_PATH = '/operator/log';

/** The address of the log, or of a page below it. */
export function entriesAddress(asked: AskedEntries, before?: bigint, path = LOG_PATH): string {
  const query = new URLSearchParams({ ...asked, ...(before !== undefined && { before: `${before}` }) }).toString();
  return `${path}${query && `?${query}`}`;
}

/** It works as a link, so a search can be bookmarked. */
export function entryFilters(asked: AskedEntries): Markup {
  const actions = ALL_LOGGED_ACTIONS.map((word) => [word, labelOf(word)] as const);
  return html`<form method="get" action="${LOG_PATH}" class="filters" role="search" aria-label="Filter entries">
${choice({ name: 'action', label: 'Action', value: asked.action, options: [['', 'Any'], ...actions] })}
${input('who', 'Who', asked.who, 'User, app or shell user')}
${input('subject', 'Subject', asked.subject, 'User, app, transfer or report')}
${input('from', 'From (UTC)', asked.from)}
${input('to', 'Until (UTC)', asked.to)}
<button class="secondary">Filter</button>
</form>`;
}

/** An action in words: `app-verified` is "App verified". */
export function labelOf(action: string): string {
  return wordsOf(action.replaceAll('-', ' '));
}

function input(name: keyof AskedEntries, label: string, value: string | undefined, placeholder?: string): Markup {
  return html`<div class="field"><label for="${name}">${label}</label><input id="${name}" name="${name}" type="${placeholder ? 'text' : 'date'}" value="${value ?? ''}" maxlength="${MAX_LENGTH}" autocomplete="off" spellcheck="false"${
    placeholder && html` placeholder="${placeholder}"`
  }></div>`;
}
