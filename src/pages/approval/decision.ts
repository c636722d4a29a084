import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../../base/problems.ts';
import { approveOrDecline, type NotAccepted, type PageDecision } from '../../features/approvals/approve-or-decline.ts';
import { type ApprovalView, approvalView } from '../../features/approvals/open-approval.ts';
import { requestByFormToken } from '../../features/approvals/page-access.ts';
import { tellRefusal } from '../../service/moments.ts';
import type { Service } from '../../service/service.ts';
import { checksForm, isForeignForm } from '../../web/form-guard.ts';
import { onlyShows } from '../../web/language-choice.ts';
import { frameIdOf, parameter } from '../../web/request-parameters.ts';

import { sendMessage } from '../../web/send-page.ts';
import { signInAddress } from '../../web/visitor.ts';
import {
  type ApprovalContext,
  contextParameters,
  readApprovalContext,
  requestIdOf,
  sessionOf,
} from './approval-context.ts';
import { failDecision, foreignDecision, refuseRedirect } from './approval-failures.ts';
import { showApproval } from './approval-page.ts';
import { deliverResult } from './result.ts';

/** POST /requests/{id}/decision takes the player's answer: approve, decline or, where they cannot approve, later. */
export function decisionRoute(server: FastifyInstance, service: Service): void {
  const path = `${service.settings.approvalPath ?? ''}/requests/:id/decision`;

  // The address bar shows this path while a form is shown again. Loading it by hand must give a page.
  server.get(path, { config: { isUnlisted: true } }, async () => {
    throw new Problem('not-found', 'Only forms are sent here.');
  });

  const decide = async (request: FastifyRequest, reply: FastifyReply) => {
    const { words } = request;
    const requestId = requestIdOf(request);
    const formToken = parameter(request.body, 'page_token') ?? '';
    const session = await sessionOf(service, request);
    const read = async () => approvalView(service, await requestByFormToken(service, requestId, formToken, session));
    if (isForeignForm(request.headers, service.publicUrl)) {
      service.security.note('foreign-form');
      const app = await read().then((view) => view.app, noneForStrangers);
      const message = { ...foreignDecision(words), ...(app && { back: { app } }) };
      return sendMessage(request, reply, message, app?.frameAncestors ?? []);
    }

    // The whole form is checked before anything is decided.
    const view = await read();
    const context = readApprovalContext(request, request.body, view.app);
    if (!context) return refuseRedirect(request, reply, view, frameIdOf(request.body));
    if (onlyShows(request)) return showAgain(service, reply, context, { ...view, formToken });
    const decision = parameter(request.body, 'decision');
    if (decision === 'later') return goBack(service, reply, context, { ...view, formToken });
    if (decision !== 'approve' && decision !== 'decline') throw new Problem('invalid-input', 'No decision was sent.');
    const nextTime = choiceIn(request.body);

    try {
      const outcome = await approveOrDecline(service, { requestId, formToken, session, decision, nextTime });
      return deliverResult(service, reply, context, view, outcome);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      // If the payment cannot be read again, the decision's own error counts.
      const now = await read().catch(() => null);
      if (error.retryAfter !== undefined) reply.header('retry-after', error.retryAfter);
      // Another tab decided, or the request expired, in the meantime: the actual outcome is shown.
      if (now?.outcome) return deliverResult(service, reply, context, now, now.outcome, true);
      if (error.code === 'confirmation-needed') return reply.redirect(confirmAddress(service, view, context), 303);
      if (now?.block) return showApproval(service, reply.code(error.status), context, { ...now, formToken });
      // After these refusals the request is still pending.
      const notices: Readonly<Record<string, string>> = words.approval.refused;
      const notice = notices[error.code];
      if (!now || notice === undefined) return failDecision(request, reply, view, error);
      return showApproval(service, reply.code(error.status), context, { ...now, formToken }, notice);
    }
  };
  server.post(path, checksForm(decide));
}

/** The payment as it is now, for somebody who has chosen another language. */
function showAgain(service: Service, reply: FastifyReply, context: ApprovalContext, view: ApprovalView) {
  return view.outcome
    ? deliverResult(service, reply, context, view, view.outcome, true)
    : showApproval(service, reply, context, view);
}

/** What the player chose about later payments: only a page that said what approving includes sends `mandate`. */
function choiceIn(form: unknown): PageDecision['nextTime'] {
  if (parameter(form, 'ask') === 'always') return 'ask';
  return parameter(form, 'mandate') === 'on' ? 'allow' : null;
}

/** A caller without a genuine token must not learn whose request it is. */
function noneForStrangers(error: unknown): null {
  if (error instanceof Problem) return null;
  throw error;
}

/** Leads back to the game and tells it why the player cannot approve, unless the payment was decided or became possible in the meantime. */
function goBack(service: Service, reply: FastifyReply, context: ApprovalContext, view: ApprovalView) {
  const { request, missing, missingIsUnconfirmed, block, outcome } = view;
  if (outcome) return deliverResult(service, reply, context, view, outcome, true);
  const { id, appId, userId } = request;
  const refused = (code: NotAccepted['reason']) => tellRefusal(service, { kind: 'approval', appId, userId }, code);
  if (block) {
    refused(block);
    return deliverResult(service, reply, context, view, { kind: 'blocked', requestId: id, reason: block });
  }
  if (missing === 0n) return showApproval(service, reply, context, view);
  const reason = missingIsUnconfirmed ? 'quarters-unconfirmed' : 'insufficient-quarters';
  refused(reason);
  return deliverResult(service, reply, context, view, {
    kind: 'not-enough',
    requestId: id,
    missing,
    expiresAt: request.expiresAt,
    reason,
  });
}

/**
 * The address to sign in again, which leads back to the payment with the same parameters. The decision itself is not part of
 * it: a game could send a player to an address that approves or ticks the box.
 */
function confirmAddress(
  { settings }: Pick<Service, 'settings'>,
  { request: { id } }: Pick<ApprovalView, 'request'>,
  context: ApprovalContext,
): string {
  const query = new URLSearchParams(contextParameters(context));
  return signInAddress(`${settings.approvalPath ?? ''}/requests/${id}?${query}`, true);
}
