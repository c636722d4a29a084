import type { FastifyRequest } from 'fastify';
import { html } from 'hono/html';
import { type RequestId, requestIdFrom } from '../../base/ids.ts';
import { Problem } from '../../base/problems.ts';
import { chooseRedirectUri, findRedirectUri } from '../../identity/app-addresses.ts';
import type { App } from '../../identity/apps.ts';
import type { Session } from '../../oauth/sessions.ts';
import type { Service } from '../../service/service.ts';
import { hidden } from '../../web/fields.ts';
import type { AnswerAgain } from '../../web/language-choice.ts';
import type { Markup } from '../../web/layout.ts';
import { frameIdOf, isFramed, isInline, parameter } from '../../web/request-parameters.ts';
import { readVisitor } from '../../web/visitor.ts';

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
  /**
   * A script may lead to the address, so a paid result can be shown for a moment before. An app's own scheme opens only as the answer
   * to a tap, also where the game's web address leads on to it, so an app that has registered one is always redirected at once.
   */
  readonly canShowPaid: boolean;
  /** The browser runs scripts, and will go on to the address by itself. */
  readonly showsPaid: boolean;
  /** A frame has followed our own window, and delivers what was decided there. */
  readonly isFollowed?: true;
  /** The query that replaces the one with a guest's token in the address bar. */
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
export function readApprovalContext(request: FastifyRequest, parameters: unknown, app: App): ApprovalContext | null {
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
    canShowPaid: redirect !== undefined && openedBy === undefined && app.redirectUris.every(isWeb),
    showsPaid: parameter(parameters, 'shows_paid') === 'true',
  };
}

/** A game that names an address waits for the player there, even if it opened a window. */
function openerOf(parameters: unknown, named: string | undefined): ApprovalContext['openedBy'] {
  const openedBy = parameter(parameters, 'opened_by');
  if (openedBy === 'frame') return 'frame';
  return openedBy === 'game' && named === undefined ? 'game' : undefined;
}

function isWeb(redirect: string): boolean {
  return /^https?:/i.test(redirect);
}

/** Whether only the browser knows how to deliver: no address was named, and one is registered. */
export function asksWhoOpened({ named, redirect, byPage }: ApprovalContext): boolean {
  return named === undefined && redirect !== undefined && !byPage;
}

/** The parameters with which the same page is opened again. A form carries them on as hidden fields. */
export function contextParameters(context: ApprovalContext): Readonly<Record<string, string>> {
  const { named, inline, frameId, proof, openedBy } = context;
  return {
    ...(named !== undefined && { redirect_uri: named }),
    ...(inline && { inline: 'true' }),
    ...(frameId !== undefined && { frame_id: frameId }),
    ...(proof && { proof: 'true' }),
    ...(openedBy !== undefined && { opened_by: openedBy }),
  };
}

/** The hidden fields of every form of a payment. They hold the form token, never the guest's page token. */
export function contextFields(context: ApprovalContext, formToken: string): Markup {
  const fields = Object.entries({ page_token: formToken, ...contextParameters(context) });
  return html`${fields.map(([name, value]) => hidden(name, value))}`;
}

/** The form that shows the payment again, as it is then. */
export function paymentAgain(
  { settings }: Pick<Service, 'settings'>,
  requestId: RequestId,
  context: ApprovalContext,
  formToken: string | undefined,
): AnswerAgain {
  const action = `${settings.approvalPath ?? ''}/requests/${requestId}/decision`;
  return { action, hidden: { page_token: formToken, ...contextParameters(context) } };
}

/** In a frame nobody counts as signed in, even if an old browser sends the cookie. */
export async function sessionOf(service: Service, request: FastifyRequest): Promise<Session | null> {
  return isFramed(request.headers) ? null : ((await readVisitor(service, request))?.session ?? null);
}

/** Null: the text is no id. The answer is then the same as for an unknown id. */
export function requestIdInPath({ params }: FastifyRequest): RequestId | null {
  return requestIdFrom((params as { id: string }).id);
}

export function requestIdOf(request: FastifyRequest): RequestId {
  const id = requestIdInPath(request);
  if (!id) throw noSuchRequest();
  return id;
}

export function noSuchRequest(): Problem {
  return new Problem('not-found', 'There is no such request.');
}
