import type { FastifyReply, FastifyRequest } from 'fastify';
import { html } from 'hono/html';
import type { RequestId } from '../../base/ids.ts';
import { type FrameOffer, frameOffer } from '../../features/approvals/open-approval.ts';
import { issueProgressToken, opensProgress } from '../../features/approvals/page-access.ts';
import type { Service } from '../../service/service.ts';
import { bigAmount } from '../../web/big-amount.ts';
import { offerOwnWindow } from '../../web/own-window.ts';
import { localeParameter } from '../../web/readers-words.ts';
import { frameIdOf, isInline, parameter } from '../../web/request-parameters.ts';
import { namedRedirect, noSuchRequest, readApprovalContext } from './approval-context.ts';
import { refuseRedirect } from './approval-failures.ts';
import { deliverResult } from './result.ts';

/**
 * A payment opened in a frame without a valid guest token. A full user sees who asks for how much, and a button that opens our
 * own window. If our window could not tell the frame what was decided, the frame asks us, and comes back with the token that it asked
 * with: then it delivers the result.
 */
export async function framedApproval(
  service: Service,
  request: FastifyRequest,
  reply: FastifyReply,
  requestId: RequestId | null,
): Promise<FastifyReply> {
  const offer = requestId && (await frameOffer(service, requestId));
  if (!offer) throw noSuchRequest();
  const token = parameter(request.query, 'token');
  if (token === undefined || !offer.outcome || !(await opensProgress(service, requestId, token))) {
    return offerWindow(service, request, reply, offer);
  }
  const context = readApprovalContext(request, request.query, offer.app);
  if (!context) return refuseRedirect(request, reply, offer, frameIdOf(request.query));
  return deliverResult(service, reply, { ...context, isFollowed: true }, { ...offer, byGuest: false }, offer.outcome);
}

function offerWindow(service: Service, request: FastifyRequest, reply: FastifyReply, offer: FrameOffer) {
  const { words } = request;
  const { app } = offer;
  const { id, amount, expiresAt } = offer.request;
  const page = `${service.settings.approvalPath ?? ''}/requests/${id}`;
  const named = namedRedirect(request.query, app);
  if (named === null) return refuseRedirect(request, reply, offer, frameIdOf(request.query));
  const path = (more: Record<string, string>) => {
    const query = String(
      new URLSearchParams({
        ...more,
        ...(named !== undefined && { redirect_uri: named }),
        ...(parameter(request.query, 'proof') === 'true' && { proof: 'true' }),
        ...localeParameter(service, request),
      }),
    );
    return `${page}${query && `?${query}`}`;
  };
  return offerOwnWindow(reply, {
    inline: isInline(request.query),
    title: words.approval.waiting,
    asks: html`<span class="lead">${words.approval.asks}</span> ${bigAmount(words, amount)}`,
    button: words.approval.review,
    windowPath: path({ opened_by: 'frame' }),
    tabPath: path({}),
    followPath: `${page}/progress?token=${issueProgressToken(service, id, expiresAt)}`,
    app,
    frameId: frameIdOf(request.query),
  });
}
