import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type RequestId, UUID_PATTERN } from '../../base/ids.ts';
import { Problem } from '../../base/problems.ts';
import { retryAfterSeconds } from '../../base/retry-after.ts';
import { hashSecret } from '../../base/secrets.ts';
import { approveOrDecline } from '../../features/approvals/approve-or-decline.ts';
import {
  type ApprovalView,
  approvalView,
  openApproval,
  reopenApproval,
} from '../../features/approvals/open-approval.ts';
import { guestOfFormToken, requestByFormToken } from '../../features/approvals/page-access.ts';
import { findGuestToken } from '../../identity/guest-tokens.ts';
import type { Session } from '../../oauth/sessions.ts';
import type { Service } from '../../settlement/service.ts';
import { cleanQueryOf } from '../../web/clean-query.ts';
import { frameIdOf } from '../../web/delivery.ts';
import { pageHeaders } from '../../web/headers.ts';
import { isForeignForm, isFramed, parameter } from '../../web/request-parameters.ts';
import { formTargets } from '../../web/result-address.ts';
import { sendMessage, sendPage } from '../../web/send.ts';
import { readVisitor, signInAddress } from '../../web/visitor.ts';
import { type ApprovalContext, FOREIGN_DECISION, readVisit } from './approval-context.ts';
import { approvalPage, confirmAddress } from './approval-page.ts';
import { framedApproval } from './framed-approval.ts';
import { deliverResult, refuseRedirect } from './result.ts';

type Addressed = { Params: { id: string } };

const REQUEST_ID = new RegExp(UUID_PATTERN);

/** Refusals after which the request is still pending, so the page is shown again. */
const NOTICES: Readonly<Record<string, string>> = {
  'insufficient-quarters': 'You don’t have enough quarters. Nothing was taken.',
  'quarters-unconfirmed': 'This can’t be paid yet. Nothing was taken.',
  'amount-too-large': 'This payment is above the current limit. Nothing was taken.',
  'payments-suspended': 'Payments are paused. Nothing was taken. Please try again later.',
  'app-backlog-full': 'This game has too many payments in progress. Nothing was taken. Please try again in a moment.',
  overloaded: 'We’re busy right now. Nothing was taken. Please try again in a moment.',
};

/**
 * GET /requests/{id} asks the player, POST /requests/{id}/decision takes the answer.
 *
 * A guest needs no cookie, since a frame would not get it. The guest's page token opens the page, and the page's form token
 * decides. A full user must be signed in, at top level. A frame is not enough: the game around it could move things under the
 * pointer.
 */
export function approvalRoutes(server: FastifyInstance, service: Service): void {
  const page = `${service.settings.approvalPath ?? ''}/requests/:id`;
  server.get<Addressed>(page, async (request, reply) => {
    const requestId = readRequestId(request);
    const view = requestId && (await open(service, request, requestId));
    if (!view) {
      if (isFramed(request.headers)) return framedApproval(service, request, reply, requestId);
      if (!requestId) throw noSuchRequest();
      return signInFirst(request, reply);
    }
    const opened = readVisit(request, request.query, view.app);
    if (!opened) return refuseRedirect(request, reply, view, frameIdOf(request.query));
    const visit = { ...opened, ...(view.byGuest && { cleanQuery: tokenlessQuery(request, opened, view.formToken) }) };
    if (!view.outcome) return ask(service, reply, visit, view);
    // After a sign-in the browser came by a form, and form-action forbids a redirect to the game. So the page delivers.
    return deliverResult(service, reply, view.byGuest ? visit : { ...visit, byPage: true }, view, view.outcome, true);
  });

  // The address line shows this path while a form is shown again: somebody who reloads it by hand gets a page.
  server.get(`${page}/decision`, { config: { isUnlisted: true } }, async () => {
    throw new Problem('not-found', 'Only forms are sent here.');
  });

  server.post<Addressed>(`${page}/decision`, async (request, reply) => {
    const requestId = requestIdOf(request);
    const formToken = parameter(request.body, 'page_token') ?? '';
    const session = await sessionOf(service, request);
    const read = async () => approvalView(service, await requestByFormToken(service, requestId, formToken, session));
    if (isForeignForm(request.headers, service.publicUrl)) {
      service.security.note('foreign-form');
      const ancestors = await read().then(({ app }) => app.frameAncestors, noneForStrangers);
      return sendMessage(request, reply, FOREIGN_DECISION, ancestors);
    }

    // The whole form is checked before anything is decided.
    const view = await read();
    const visit = readVisit(request, request.body, view.app);
    if (!visit) return refuseRedirect(request, reply, view, frameIdOf(request.body));
    const decision = parameter(request.body, 'decision');
    if (decision === 'later') return later(service, reply, visit, { ...view, formToken });
    if (decision !== 'approve' && decision !== 'decline') throw new Problem('invalid-input', 'No decision was sent.');
    const allowMandate = parameter(request.body, 'standing') === 'on';

    try {
      const outcome = await approveOrDecline(service, { requestId, formToken, session, decision, allowMandate });
      return deliverResult(service, reply, visit, view, outcome);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      // If the payment cannot be read again, the decision's own error counts.
      const now = await read().catch(() => {
        throw error;
      });
      // Another tab decided, or the request expired, in the meantime: the actual outcome is shown.
      if (now.outcome) return deliverResult(service, reply, visit, now, now.outcome, true);
      if (error.code === 'confirmation-needed') return reply.redirect(confirmAddress(service, now, visit), 303);
      const notice = NOTICES[error.code];
      if (notice === undefined) throw error;
      const seconds = retryAfterSeconds(error.code);
      if (seconds !== undefined) reply.header('retry-after', seconds);
      return ask(service, reply.code(error.status), visit, { ...now, formToken }, notice);
    }
  });
}

/** In a frame nobody counts as signed in, even if an old browser sends the cookie. */
export async function sessionOf(service: Service, request: FastifyRequest): Promise<Session | null> {
  return isFramed(request.headers) ? null : ((await readVisitor(service, request))?.session ?? null);
}

/**
 * Opens the payment by the guest's token, or by the session. The session also helps if the token died because the guest became
 * a full user. Null: another page may help, which is the sign-in or, in a frame, our own window. Throws `not-found`,
 * `token-expired`.
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

/** A caller without a genuine token must not learn whose request it is. */
function noneForStrangers(error: unknown): readonly string[] {
  if (error instanceof Problem) return [];
  throw error;
}

/** Null: the text is no id. The answer is then the same as for an unknown id. */
function readRequestId({ params }: FastifyRequest): RequestId | null {
  const { id } = params as Addressed['Params'];
  return REQUEST_ID.test(id) ? (id.toLowerCase() as RequestId) : null;
}

export function requestIdOf(request: FastifyRequest): RequestId {
  const id = readRequestId(request);
  if (!id) throw noSuchRequest();
  return id;
}

function noSuchRequest(): Problem {
  return new Problem('not-found', 'There is no such request.');
}

/** Leads back to the game and tells it what is missing, unless the payment was decided or became possible in the meantime. */
function later(service: Service, reply: FastifyReply, visit: ApprovalContext, view: ApprovalView) {
  const { request, missing, outcome } = view;
  if (outcome) return deliverResult(service, reply, visit, view, outcome, true);
  if (missing === 0n) return ask(service, reply, visit, view);
  return deliverResult(service, reply, visit, view, {
    kind: 'not-enough',
    requestId: request.id,
    missing,
    expiresAt: request.expiresAt,
    error: 'The player does not have enough quarters.',
  });
}

/** Shows the payment to its player. */
export function ask(
  { settings }: Service,
  reply: FastifyReply,
  visit: ApprovalContext,
  view: Omit<ApprovalView, 'outcome'>,
  notice?: string,
) {
  const { app, request, byGuest } = view;
  const { redirect, byPage } = visit;
  const formsTo = redirect === undefined || byPage ? [] : formTargets(redirect, app.redirectUris);
  // The game that gains from a click is the one that may frame us. So a full user's button is shown at top level only.
  const frameAncestors = byGuest ? app.frameAncestors : [];
  const path = `${settings.approvalPath ?? ''}/requests/${request.id}`;
  reply.headers(pageHeaders({ frameAncestors, formTargets: formsTo, script: true, opener: true }));
  return sendPage(
    reply,
    approvalPage({ ...view, action: `${path}/decision`, reportAction: `${path}/report`, visit, notice }),
  );
}
