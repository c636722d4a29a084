import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ApprovalView } from '../../features/approvals/open-approval.ts';
import type { NotDecided, Outcome } from '../../features/approvals/outcome.ts';
import { proveOutcome } from '../../features/approvals/prove-outcome.ts';
import type { Service } from '../../settlement/service.ts';
import { sendFailure } from '../../web/delivery.ts';
import { pageHeaders } from '../../web/headers.ts';
import { resultAddress } from '../../web/result-address.ts';
import { sendPage } from '../../web/send.ts';
import type { Visit } from './approval-context.ts';
import { REDIRECT_NOT_REGISTERED } from './approval-messages.ts';
import { progressFor } from './progress.ts';
import { redirectResultOf, resultOf } from './result.ts';
import { resultPage } from './result-page.ts';

/**
 * Ends the visit: the game gets the outcome at its redirect address or from the result page. `before`: it was decided before
 * this visit.
 */
export async function deliver(
  service: Service,
  reply: FastifyReply,
  visit: Visit,
  view: Pick<ApprovalView, 'app' | 'request' | 'byGuest'>,
  outcome: Outcome | NotDecided,
  before = false,
): Promise<FastifyReply> {
  const { inline, frameId, proof, openedBy, redirect, byPage } = visit;
  const { app, request, byGuest } = view;
  // A proof states a decision, so without one there is none.
  const proven = proof && outcome.kind !== 'not-enough' ? await proveOutcome(service, request, outcome) : undefined;
  const result = resultOf(outcome, proven);
  const address = redirect === undefined ? undefined : resultAddress(redirect, redirectResultOf(outcome, proven));
  // A full user's payment is never shown in a frame.
  const frameAncestors = byGuest ? app.frameAncestors : [];
  const progress = progressFor(service, reply.request, visit, view, outcome);
  reply.headers(pageHeaders({ frameAncestors, script: byPage, opener: true, live: progress?.address !== undefined }));
  if (!byPage && address !== undefined) return reply.redirect(address, 303);
  const delivery = { result, app, frameId, forOurFrame: openedBy === 'frame', redirect: address };
  return sendPage(
    reply,
    resultPage({ inline, app, request, outcome, before, delivery, progress, cleanQuery: visit.cleanQuery }),
  );
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
