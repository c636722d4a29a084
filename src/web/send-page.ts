import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Words } from '../words/words.ts';
import { helloOf } from './hello.ts';
import { rememberedVisitor } from './known-visitor.ts';
import {
  type AnswerAgain,
  addressBeforeForm,
  addressOfPage,
  choiceAt,
  SAME_PAGE,
  type SamePage,
} from './language-choice.ts';
import type { Page } from './layout.ts';
import { messagePage, type PageMessage } from './message-page.ts';
import { namedWords } from './readers-words.ts';
import { isFramed, isInline } from './request-parameters.ts';
import { type PageContext, renderPage, wordsOfPage } from './shell.ts';

/** What differs between one page and the next. */
export type PageHeaders = {
  /** The app's registered CSP sources that may frame this page. Without them nobody may. */
  readonly frameAncestors?: readonly string[];
  /** CSP sources that the page's form may redirect to, besides our own. */
  readonly formTargets?: readonly string[];
  readonly script?: boolean;
  /** A page that a game opens in a window keeps its `opener`. */
  readonly opener?: boolean;
  /** The page's script asks for a passkey and calls us. */
  readonly passkeys?: boolean;
  /** The page's script calls us: for news, or to see whether we can be reached. */
  readonly live?: boolean;
  /** Replaces the query with a long-lived token (`web/request-parameters.ts`). */
  readonly cleanQuery?: string | undefined;
  /** Shows the answer to a form again, or a page whose address is secret. Without it, another language leads to the page with the form. */
  readonly again?: AnswerAgain | undefined;
  /** The page says why what was sent is refused, so it shows nothing of it. */
  readonly refuses?: boolean;
};

export function runsScripts({ script, passkeys, live }: PageHeaders): boolean {
  return (script || passkeys || live) ?? false;
}

const NO_PASSKEYS = 'publickey-credentials-get=(), publickey-credentials-create=()';

/**
 * The headers of one page. They are not set by a general middleware, because nearly every value depends on the page, and a wrong
 * default (X-Frame-Options, COOP, no-referrer) breaks the product silently.
 */
export function pageHeaders(page: PageHeaders): Record<string, string> {
  const { frameAncestors = [], formTargets = [], opener, passkeys, live } = page;
  // Only plain host sources: a stray `;` or `,` would end the directive, and `*` would allow every site.
  const ancestors = frameAncestors.filter((source) => /^https?:\/\/[a-z0-9.-]+(:\d+)?$/.test(source));
  const policy = [
    `default-src 'none'`,
    `style-src 'self'`,
    `img-src 'self'`,
    ...(runsScripts(page) ? [`script-src 'self'`] : []),
    ...(passkeys || live ? [`connect-src 'self'`] : []),
    `form-action ${["'self'", ...formTargets].join(' ')}`,
    `base-uri 'none'`,
    `frame-ancestors ${ancestors.join(' ') || `'none'`}`,
  ];
  return {
    'content-security-policy': policy.join('; '),
    ...(ancestors.length === 0 && { 'x-frame-options': 'DENY' }),
    'cross-origin-opener-policy': opener ? 'unsafe-none' : 'same-origin',
    // A game's page that is cross-origin isolated, as threads need it, frames only pages that say both. All that ours load is ours.
    ...(ancestors.length > 0 && { 'cross-origin-embedder-policy': 'require-corp' }),
    'cross-origin-resource-policy': ancestors.length > 0 ? 'cross-origin' : 'same-origin',
    // With no-referrer our own forms would send `Origin: null`.
    'referrer-policy': 'same-origin',
    'permissions-policy': `camera=(), geolocation=(), microphone=(), payment=()${passkeys ? '' : `, ${NO_PASSKEYS}`}`,
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
  };
}

/** Sends a page with its headers, which are the strictest unless `headers` says what the page needs. */
export async function sendPage(reply: FastifyReply, page: Page, headers: PageHeaders = {}): Promise<FastifyReply> {
  const { request } = reply;
  const { words } = request;
  const { languages } = reply.server;
  const hello = helloOf(request, headers.frameAncestors);
  const allowed = hello ? { ...headers, script: true } : headers;
  const context = {
    words,
    framed: isFramed(request.headers),
    runsScripts: runsScripts(allowed),
    hello,
    visitor: await headerVisitor(request, page),
    choice: choiceAt(languages, samePageOf(reply, headers)),
  };
  const document = String(await renderPage(reply.server.shell, page, context));
  return reply
    .headers({ ...pageHeaders(allowed), ...languageHeaders(page, words) })
    .type('text/html; charset=utf-8')
    .send(withLocale(document, namedWords({ languages }, request)));
}

/** Who is signed in, for a page with the navigation. */
async function headerVisitor(request: FastifyRequest, { frame }: Page): Promise<PageContext['visitor']> {
  const visitor = frame.nav ? rememberedVisitor(request) : undefined;
  return visitor && { csrf: visitor.csrf, isDeveloper: frame.sheet !== undefined || (await visitor.managesApps()) };
}

function samePageOf(
  { request, statusCode }: FastifyReply,
  { again, refuses, cleanQuery }: PageHeaders,
): SamePage | null {
  if (request.method !== 'GET') return again ?? (refuses ? SAME_PAGE : addressBeforeForm(request));
  // An address with a secret is no field of a page, so there a form shows the page again.
  return statusCode < 400 ? (addressOfPage(request, cleanQuery) ?? again ?? null) : SAME_PAGE;
}

/** The language of a page, and what decides it: a cache has to keep the languages apart. */
export function languageHeaders(page: Page, readers: Words): Record<string, string> {
  return { 'content-language': wordsOfPage(page, readers).language, vary: 'accept-language, cookie' };
}

/** Every form of a page that was asked for in a language asks for the next page in it, but for the one that chooses another. */
function withLocale(document: string, named: Words | null): string {
  if (!named) return document;
  const [page = '', ...footer] = document.split(/(?=<details class="language">)/);
  return [
    page.replaceAll('</form>', `<input type="hidden" name="locale" value="${named.language}"></form>`),
    ...footer,
  ].join('');
}

/**
 * Answers with a page that only says something. `frameAncestors`: the app's, if the app is certain. The page keeps its
 * opener, because a game may have opened it in a window: after Back, the window can still deliver to its game.
 */
export function sendMessage(
  request: FastifyRequest,
  reply: FastifyReply,
  message: PageMessage,
  frameAncestors: readonly string[],
  again?: AnswerAgain,
): Promise<FastifyReply> {
  const inline = isInline(request.method === 'POST' ? request.body : request.query);
  return sendPage(reply.code(message.status), messagePage(request.words, { inline }, message, reply.server.shell), {
    frameAncestors,
    opener: true,
    again,
    refuses: true,
  });
}
