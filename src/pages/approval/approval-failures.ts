import type { FastifyReply, FastifyRequest } from 'fastify';
import type { RequestId } from '../../base/ids.ts';
import { Problem } from '../../base/problems.ts';
import type { ApprovalView } from '../../features/approvals/open-approval.ts';
import { type App, lookUpApp, lookUpNamedLivingApp } from '../../identity/apps.ts';
import { lookUpRequest } from '../../requests/requests.ts';
import type { Service } from '../../service/service.ts';
import { messageForError, type PageMessage } from '../../web/message-page.ts';
import { frameIdOf, parameter } from '../../web/request-parameters.ts';
import { type Failure, sendFailure } from '../../web/result-delivery.ts';
import { sendMessage } from '../../web/send-page.ts';
import type { Words } from '../../words/words.ts';
import { readApprovalContext } from './approval-context.ts';

function redirectNotRegistered({ approvalFailures: texts }: Words): PageMessage {
  return { status: 400, title: texts.wrongAddress, text: texts.wrongAddressText };
}

export function foreignDecision({ messages, approvalFailures: texts }: Words): PageMessage {
  return { status: 403, title: messages.foreignForm.title, text: texts.foreignText };
}

/** Messages of the payment's pages in place of the general ones, by status or by a problem's code. */
export function approvalMessages({ messages, approvalFailures: texts }: Words): Readonly<Record<string, PageMessage>> {
  const unreadable = (status: number) => ({ status, title: messages.badForm.title, text: texts.lookAgain });
  return {
    // The same page for unknown and foreign requests and tokens: a difference would tell strangers what exists.
    404: { status: 404, title: texts.notFound, text: texts.notFoundText },
    401: { status: 401, title: messages.expired.title, text: texts.lookAgain },
    400: unreadable(400),
    413: unreadable(413),
    415: unreadable(415),
    405: unreadable(405),
    503: { status: 503, title: messages.busy.title, text: texts.busyText },
    'database-unavailable': { status: 503, title: texts.unavailable, text: texts.unavailableText },
    'outcome-unknown': { status: 503, title: messages.unknown.title, text: texts.unknownText },
    500: { status: 500, title: messages.broken.title, text: texts.lookAgain },
  };
}

/**
 * The game that gets an error. An expired token is genuine, so its holder may learn whose request it is. For everybody else,
 * unknown and foreign requests must look the same, so only `client_id` names the game.
 */
export async function concernedGame({ db }: Service, error: unknown, request: FastifyRequest): Promise<Failure | null> {
  if (!(error instanceof Problem)) return null;
  const frameId = frameIdOf(request.method === 'POST' ? request.body : request.query);
  if (error.code === 'not-found') {
    const named = await lookUpNamedLivingApp(db, parameter(request.query, 'client_id') ?? '');
    return named && { app: named, frameId, redirect: addressOfGame(request, named), reason: error.code };
  }
  if (error.code !== 'token-expired') return null;
  const { id } = request.params as { id: RequestId };
  const found = await lookUpRequest(db, id);
  const app = found && (await lookUpApp(db, found.appId));
  return app && { app, frameId, redirect: addressOfGame(request, app), requestId: id, reason: error.code };
}

/**
 * Where the player goes back to from a page that knows no more than the game. Undefined: the game waits around the page or in another window,
 * or has not said where. Of an address that is not registered, the game's only one stands in its place.
 */
function addressOfGame(request: FastifyRequest, app: App): string | undefined {
  const parameters = (request.method === 'POST' ? request.body : request.query) as object | undefined;
  const context =
    readApprovalContext(request, parameters, app) ??
    readApprovalContext(request, { ...parameters, redirect_uri: undefined }, app);
  return context?.openedBy === undefined ? context?.redirect : undefined;
}

/** The app has not registered the redirect address: nobody is sent there, and the game gets the reason. */
export function refuseRedirect(
  request: FastifyRequest,
  reply: FastifyReply,
  { app, request: { id } }: Pick<ApprovalView, 'app' | 'request'>,
  frameId: string | undefined,
) {
  return sendFailure(request, reply, redirectNotRegistered(request.words), {
    app,
    frameId,
    redirect: addressOfGame(request, app),
    requestId: id,
    reason: 'redirect-not-registered',
  });
}

/**
 * A decision that was not taken, or of which nobody knows yet whether it was. Games that open our pages by quarters.js get the
 * reason, because they know that a failure never means "not paid". Any other game would take it for that, so it gets nothing.
 */
export function failDecision(
  request: FastifyRequest,
  reply: FastifyReply,
  { app, request: { id }, byGuest }: Pick<ApprovalView, 'app' | 'request' | 'byGuest'>,
  error: Problem,
) {
  const { words } = request;
  const own = approvalMessages(words);
  const message = own[error.code] ?? own[error.status] ?? messageForError(words, error, error.status);
  if (parameter(request.body, 'hello') !== 'true') {
    return sendMessage(request, reply, { ...message, back: { app } }, byGuest ? app.frameAncestors : []);
  }
  const frameId = frameIdOf(request.body);
  return sendFailure(request, reply, message, { app, frameId, requestId: id, reason: error.code, undecided: true });
}
