import type { FastifyInstance, FastifyRequest } from 'fastify';
import { html } from 'hono/html';
import type { ApprovalOutcome, NotAccepted } from '../../features/approvals/approve-or-decline.ts';
import type { ApprovalView } from '../../features/approvals/open-approval.ts';
import { issueProgressToken, opensProgress, requestByKey } from '../../features/approvals/page-access.ts';
import { clientAddress } from '../../http/rate-limits.ts';
import type { Service } from '../../service/service.ts';
import { icon } from '../../web/icons.ts';
import type { Markup } from '../../web/layout.ts';
import type { ProgressStreams } from '../../web/progress-streams.ts';
import { isFramed, parameter } from '../../web/request-parameters.ts';
import { isStillSignedIn } from '../../web/visitor.ts';
import type { Words } from '../../words/words.ts';
import { type ApprovalContext, noSuchRequest, requestIdOf, sessionOf } from './approval-context.ts';

/** How far an approved payment is on the chain. */
export type ProgressView = {
  /** Where the page reads news. Undefined: the payment is confirmed. */
  readonly address: string | undefined;
};

/**
 * The progress of a payment on a page that stays open. Undefined: the game closes the frame or window at the result, or the
 * player is sent to an address.
 */
export function progressFor(
  service: Service,
  { headers }: Pick<FastifyRequest, 'headers'>,
  { redirect, openedBy }: ApprovalContext,
  { request, byGuest }: Pick<ApprovalView, 'request' | 'byGuest'>,
  outcome: Pick<ApprovalOutcome | NotAccepted, 'kind'>,
): ProgressView | undefined {
  if (outcome.kind !== 'approved' || redirect !== undefined || openedBy === 'frame' || isFramed(headers))
    return undefined;
  if (request.status === 'completed') return { address: undefined };
  const path = `${service.settings.approvalPath ?? ''}/requests/${request.id}/progress`;
  // A full user is known by the session, a guest by the token.
  return { address: byGuest ? `${path}?token=${issueProgressToken(service, request.id)}` : path };
}

/** Shows the state in one line, which the script updates in place. */
export function progressPanel(words: Words, { address }: ProgressView): Markup {
  const { confirmed, onItsWay, reload } = words.progress;
  if (address === undefined) return html`<p class="progress" data-status="completed">${confirmed}</p>`;
  // The template holds the sign of a payment that is stopped later.
  return html`<p class="progress" role="status" data-status="submitted" data-progress="${address}">${onItsWay}</p>
<template data-failed>${icon('alert')}</template>
<noscript><p class="hint">${reload}</p></noscript>`;
}

/** GET /requests/{id}/progress: the state of a payment, for its signed-in user or, by its `token`, for a guest's result page. */
export function approvalProgressRoute(pages: FastifyInstance, service: Service, streams: ProgressStreams): void {
  const path = `${service.settings.approvalPath ?? ''}/requests/:id/progress`;
  pages.get(path, async (request, reply) => {
    const requestId = requestIdOf(request);
    const token = parameter(request.query, 'token');
    if (token !== undefined) {
      const maySee = () => opensProgress(service, requestId, token);
      if (!(await maySee())) throw noSuchRequest();
      return streams.answer(request, reply, [requestId], { caller: clientAddress(request), maySee });
    }
    const session = await sessionOf(service, request);
    if (!session) throw noSuchRequest();
    await requestByKey(service, requestId, session);
    return streams.answer(request, reply, [requestId], {
      caller: session.userId,
      maySee: () => isStillSignedIn(service, session),
    });
  });
}
