import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { RequestId } from '../../base/ids.ts';
import { Problem } from '../../base/problems.ts';
import { hashSecret } from '../../base/secrets.ts';
import { type ApprovalView, openApproval, reopenApproval } from '../../features/approvals/open-approval.ts';
import { guestOfFormToken } from '../../features/approvals/page-access.ts';
import { findGuestToken } from '../../identity/guest-tokens.ts';
import type { Service } from '../../service/service.ts';
import { cleanQueryOf, frameIdOf, isFramed, parameter } from '../../web/request-parameters.ts';

import { signInAddress } from '../../web/visitor.ts';
import {
  type ApprovalContext,
  noSuchRequest,
  readApprovalContext,
  requestIdInPath,
  sessionOf,
} from './approval-context.ts';
import { refuseRedirect } from './approval-failures.ts';
import { showApproval } from './approval-page.ts';
import { framedApproval } from './framed-approval.ts';
import { deliverResult } from './result.ts';

/**
 * GET /requests/{id} asks the player, or shows the result of a payment that is decided.
 *
 * A guest needs no cookie, since a frame would not get it. The guest's page token opens the page, and the page's form token
 * decides. A full user must be signed in, at top level. A frame is not enough: the game around it could move things under the
 * pointer.
 */
export function approvalRoute(server: FastifyInstance, service: Service): void {
  server.get(`${service.settings.approvalPath ?? ''}/requests/:id`, async (request, reply) => {
    const requestId = requestIdInPath(request);
    const view = requestId && (await open(service, request, requestId));
    if (!view) {
      if (isFramed(request.headers)) return framedApproval(service, request, reply, requestId);
      if (!requestId) throw noSuchRequest();
      return signInFirst(request, reply);
    }
    const opened = readApprovalContext(request, request.query, view.app);
    if (!opened) return refuseRedirect(request, reply, view, frameIdOf(request.query));
    const context = { ...opened, ...(view.byGuest && { cleanQuery: tokenlessQuery(request, opened, view.formToken) }) };
    if (!view.outcome) return showApproval(service, reply, context, view);
    // After a sign-in the browser came by a form, and form-action forbids a redirect to the game. So the page delivers.
    const delivered = view.byGuest ? context : { ...context, byPage: true };
    return deliverResult(service, reply, delivered, view, view.outcome, true);
  });
}

/**
 * Opens the payment by the guest's token, or by the session. The session also helps if the token died because the guest became
 * a full user. Null: another page may help, which is the sign-in or, in a frame, our own window.
 */
async function open(service: Service, request: FastifyRequest, requestId: RequestId): Promise<ApprovalView | null> {
  const [pageToken, formToken] = GUEST_KEYS.map((name) => parameter(request.query, name));
  const session = await sessionOf(service, request);
  if (pageToken === undefined && formToken === undefined) return session && openApproval(service, requestId, session);
  try {
    if (pageToken !== undefined) return await openApproval(service, requestId, pageToken);
    return await reopenApproval(service, requestId, formToken ?? '');
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'not-found') throw error;
    if (session) return openApproval(service, requestId, session);
    const hash =
      pageToken === undefined ? guestOfFormToken(service, requestId, formToken ?? '') : hashSecret(pageToken);
    if (isFramed(request.headers) || (await wasGuests(service, hash))) return null;
    throw error;
  }
}

/** The parameters that open a guest's page: the game's token, or the one that replaces it in the address. */
const GUEST_KEYS = ['firebase_token', 'page_token'] as const;

function tokenlessQuery(request: FastifyRequest, { named }: ApprovalContext, formToken: string): string | undefined {
  const ignored = named === undefined ? ['redirect_uri'] : [];
  return cleanQueryOf(request, 'firebase_token', ['page_token', formToken], ignored);
}

/** Whether a guest held this token who is a full user now. A shipped game may still use it; signing in helps then. */
async function wasGuests({ db, settings }: Service, tokenHash: Uint8Array | null): Promise<boolean> {
  return tokenHash !== null && (await findGuestToken(db, tokenHash, settings.guestTokenDays))?.alive === false;
}

/** Sends the visitor to sign in and back here, without the dead token of a guest. */
function signInFirst(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const [path = ''] = request.url.split('?', 1);
  const kept = new URLSearchParams(request.url.slice(path.length));
  for (const name of GUEST_KEYS) kept.delete(name);
  const came = GUEST_KEYS.some((name) => parameter(request.query, name) !== undefined);
  return reply.redirect(signInAddress(came ? `${path}?${kept}` : request.url, false), 303);
}
