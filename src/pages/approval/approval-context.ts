import type { FastifyRequest } from 'fastify';
import { chooseRedirectUri, findRedirectUri } from '../../identity/app-addresses.ts';
import type { App } from '../../identity/apps.ts';
import { frameIdOf } from '../../web/delivery.ts';
import type { PageMessage } from '../../web/message-page.ts';
import { isFramed, isInline, parameter } from '../../web/request-parameters.ts';

/** These pages do not read the payment, so they must not say whether something was taken. The payment's own page does. */
const LOOK_AGAIN = 'Open the payment again from the game to see its status.';

export const REDIRECT_NOT_REGISTERED: PageMessage = {
  status: 400,
  title: 'The game gave a wrong address',
  text: `It asked us to send you to an address it hasn’t registered, so we stopped. ${LOOK_AGAIN}`,
};

export const FOREIGN_DECISION: PageMessage = {
  status: 403,
  title: 'That didn’t come from our page',
  text: `Another site tried to answer for you, so we stopped. ${LOOK_AGAIN}`,
};

/** The same page for unknown and foreign requests and tokens: a difference would tell strangers what exists. */
const NOT_FOR_YOU: PageMessage = {
  status: 404,
  title: 'We can’t find this payment',
  text: 'The link may be incomplete or belong to someone else. Go back to the game and open the payment from there.',
};

const EXPIRED: PageMessage = { status: 401, title: 'This page has expired', text: LOOK_AGAIN };

/** Messages of the payment's pages in place of the general ones, by status or by a problem's code. */
export const APPROVAL_MESSAGES: Readonly<Record<string, PageMessage>> = {
  404: NOT_FOR_YOU,
  401: EXPIRED,
  400: { status: 400, title: 'We couldn’t read that', text: LOOK_AGAIN },
  413: { status: 413, title: 'We couldn’t read that', text: LOOK_AGAIN },
  415: { status: 415, title: 'We couldn’t read that', text: LOOK_AGAIN },
  405: { status: 405, title: 'We couldn’t read that', text: LOOK_AGAIN },
  503: {
    status: 503,
    title: 'We’re busy right now',
    text: 'Please open the payment again in a moment to see its status.',
  },
  'database-unavailable': {
    status: 503,
    title: 'We can’t load your balance right now',
    text: 'Please open the payment again in a minute to see its status.',
  },
  'outcome-unknown': {
    status: 503,
    title: 'We don’t know yet if this went through',
    text: 'Please open the payment again in a moment to see its status. You never pay twice.',
  },
  500: { status: 500, title: 'Something went wrong on our side', text: LOOK_AGAIN },
};

/** How a payment's page was opened, which decides where its result goes. Every form carries all of it on. */
export type ApprovalContext = {
  readonly inline: boolean;
  /** The registered redirect address the page was opened with. */
  readonly named: string | undefined;
  readonly frameId: string | undefined;
  /** The game wants the result signed. */
  readonly proof: boolean;
  /** Who opened this window: our own frame, or the game, which waits for a message. */
  readonly openedBy: 'frame' | 'game' | undefined;
  /** The redirect address of the result. Undefined: the page itself delivers it. */
  readonly redirect: string | undefined;
  /** A result page is shown first, and tells the window that opened it. */
  readonly byPage: boolean;
  /** The query that replaces the one with a guest's token (`web/clean-query.ts`). */
  readonly cleanQuery?: string | undefined;
};

/**
 * The redirect address that a payment's page was opened with. Null: the app has not registered it. Webview shells name one of
 * theirs beside `frame_id` and wait for the message. Such an address counts as absent, so nothing ever leads there.
 */
export function namedRedirect(parameters: unknown, { redirectUris }: Pick<App, 'redirectUris'>) {
  const named = parameter(parameters, 'redirect_uri');
  if (named === undefined) return undefined;
  return findRedirectUri(redirectUris, named) ?? (frameIdOf(parameters) === undefined ? null : undefined);
}

/** Null: the app has not registered the named redirect address. */
export function readVisit(request: FastifyRequest, parameters: unknown, app: App): ApprovalContext | null {
  const named = namedRedirect(parameters, app);
  if (named === null) return null;
  const choice = chooseRedirectUri(app.redirectUris, named);
  const frameId = frameIdOf(parameters);
  const openedBy = openerOf(parameters, named);
  // In a frame the game's page is around us and waits for a result. We leave it only if the game named an address.
  const stays = named === undefined && (openedBy === 'frame' || frameId !== undefined || isFramed(request.headers));
  const redirect = choice.kind === 'redirect' && !stays ? choice.uri : undefined;
  return {
    inline: isInline(parameters),
    named,
    frameId,
    proof: parameter(parameters, 'proof') === 'true',
    openedBy,
    redirect,
    byPage: redirect === undefined || openedBy !== undefined,
  };
}

/** A game that names an address waits for the player there, even if it opened a window. */
function openerOf(parameters: unknown, named: string | undefined): ApprovalContext['openedBy'] {
  const openedBy = parameter(parameters, 'opened_by');
  if (openedBy === 'frame') return 'frame';
  return openedBy === 'game' && named === undefined ? 'game' : undefined;
}

/** Whether only the browser knows how to deliver: no address was named, and one is registered. */
export function asksWhoOpened({ named, redirect, byPage }: ApprovalContext): boolean {
  return named === undefined && redirect !== undefined && !byPage;
}
