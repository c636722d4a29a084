import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AppId, RequestId } from '../../base/ids.ts';
import { Problem } from '../../base/problems.ts';
import type { ApprovalView } from '../../features/approvals/open-approval.ts';
import { lookUpApp } from '../../identity/apps.ts';
import { lookUpRequest } from '../../requests/requests.ts';
import type { Service } from '../../settlement/service.ts';
import type { PageMessage } from '../../web/message-page.ts';
import { parameter } from '../../web/request-parameters.ts';
import { type Failure, frameIdOf, sendFailure } from '../../web/result-delivery.ts';

/** These pages do not read the payment, so they must not say whether something was taken. The payment's own page does. */
const LOOK_AGAIN = 'Open the payment again from the game to see its status.';

const REDIRECT_NOT_REGISTERED: PageMessage = {
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

/**
 * The game that gets an error. An expired token is genuine, so its holder may learn whose request it is. For everybody else,
 * unknown and foreign requests must look the same, so only `client_id` names the game.
 */
export async function concernedGame({ db }: Service, error: unknown, request: FastifyRequest): Promise<Failure | null> {
  if (!(error instanceof Problem)) return null;
  const frameId = frameIdOf(request.method === 'POST' ? request.body : request.query);
  if (error.code === 'not-found') {
    const named = await lookUpApp(db, (parameter(request.query, 'client_id') ?? '') as AppId);
    return named && { app: named, frameId };
  }
  if (error.code !== 'token-expired') return null;
  const { id } = request.params as { id: RequestId };
  const found = await lookUpRequest(db, id);
  const app = found && (await lookUpApp(db, found.appId));
  return app && { app, frameId, requestId: id };
}

/** The app has not registered the redirect address: nobody is sent there, and the game gets the reason. */
export function refuseRedirect(
  request: FastifyRequest,
  reply: FastifyReply,
  { app, request: { id } }: Pick<ApprovalView, 'app' | 'request'>,
  frameId: string | undefined,
) {
  return sendFailure(request, reply, REDIRECT_NOT_REGISTERED, { app, frameId, requestId: id });
}
