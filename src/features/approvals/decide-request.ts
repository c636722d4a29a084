import { newTransferId, type RequestId } from '../../base/ids.ts';
import { Problem } from '../../base/problems.ts';
import { findApp } from '../../identity/apps.ts';
import type { Session } from '../../oauth/sessions.ts';
import { findRequest, type TransferRequest } from '../../requests/requests.ts';
import type { Service } from '../../settlement/service.ts';
import { transitionRequests } from '../../settlement/transition-requests.ts';
import { confirmationOf, mandateOffer } from './confirmation.ts';
import { type ApprovalOutcome, outcomeOf } from './outcome.ts';
import { type OpenedRequest, requestByFormToken } from './page-access.ts';

export type PageDecision = {
  readonly requestId: RequestId;
  readonly formToken: string;
  /** The signed-in session; null if there is none, as for a guest. */
  readonly session: Session | null;
  readonly decision: 'approve' | 'decline';
  /** The box "without asking" was ticked. */
  readonly allowStanding: boolean;
};

/**
 * A player approves or declines on our page. Exactly one decision wins, and repeating it gives the same outcome.
 *
 * Throws `request-decided` (the other decision won, or the time ran out), `insufficient-quarters`,
 * `quarters-unconfirmed`, `confirmation-needed` (they sign in again and decide again), `not-found`, `token-expired`,
 * `overloaded`, `app-backlog-full`. After any of these the request is unchanged.
 */
export async function decideRequest(service: Service, input: PageDecision): Promise<ApprovalOutcome> {
  const opened = await requestByFormToken(service, input.requestId, input.formToken, input.session);
  return input.decision === 'approve'
    ? approve(service, opened, input.allowStanding)
    : decline(service, opened.request);
}

async function approve(
  service: Service,
  { request, session }: OpenedRequest,
  allowStanding: boolean,
): Promise<ApprovalOutcome> {
  // An approved request gets its earlier outcome: that pays nothing, so it needs no confirmation.
  if (request.status === 'pending' && confirmationOf(service, request.amount, session)?.given === false) {
    throw new Problem('confirmation-needed', 'A payment as large as this needs your password or passkey again.');
  }
  const app = await findApp(service.db, request.appId);
  const { txHash } = await service.accept({
    transferId: newTransferId(),
    from: request.from,
    to: request.to,
    amount: request.amount,
    origin: {
      kind: 'approval',
      requestId: request.id,
      userId: request.userId,
      appId: request.appId,
      actor: `user:${request.userId}`,
      by: 'page',
      ...(session ? { session: session.uid } : { guest: true }),
      ...(allowStanding && app?.autoApprove && { grant: mandateOffer(service) }),
    },
  });
  return { kind: 'approved', requestId: request.id, txHash };
}

async function decline({ db }: Service, request: TransferRequest): Promise<ApprovalOutcome> {
  // A request out of time counts as expired, although that may not be recorded yet.
  const moved =
    request.status === 'expired'
      ? []
      : await db.transaction((tx) => transitionRequests(tx, [request.id], 'decline', `user:${request.userId}`));
  if (moved.length > 0) return { kind: 'declined', requestId: request.id };
  const decided = await findRequest(db, request.id);
  const outcome = decided && (await outcomeOf({ db }, decided));
  if (outcome?.kind === 'declined') return outcome;
  throw new Problem('request-decided', `The request is ${decided?.status ?? 'gone'}.`);
}
