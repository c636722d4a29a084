import type { Hash } from '../../base/hex.ts';
import { type RequestId, transferIdOf } from '../../base/ids.ts';
import { Problem } from '../../base/problems.ts';
import type { Quarters } from '../../base/quarters.ts';
import { type App, lookUpApp } from '../../identity/apps.ts';
import { revokeMandate } from '../../identity/mandates.ts';
import { lookUpUser } from '../../identity/users.ts';
import type { Session } from '../../oauth/sessions.ts';
import { lookUpRequest, type TransferRequest } from '../../requests/requests.ts';
import type { Approval } from '../../service/instruction.ts';
import type { Service } from '../../service/service.ts';
import { refuseInTheDark } from '../../settlement/may-act.ts';
import { findTransfersOfRequests } from '../../settlement/tables/transfers.ts';
import { transitionRequests } from '../../settlement/transition-requests.ts';
import { confirmationOf, offerTo } from '../../views/approvals/confirmation.ts';
import { sealMail } from '../mails/mails.ts';
import { limitNotice } from './limit-notice.ts';
import { type OpenedRequest, requestByFormToken } from './page-access.ts';

export type PageDecision = {
  readonly requestId: RequestId;
  readonly formToken: string;
  /** The signed-in session; null if there is none, as for a guest. */
  readonly session: Session | null;
  readonly decision: 'approve' | 'decline';
  /** What the player chose beside the button, about payments after this one; null if the page offered no choice. */
  readonly nextTime: 'allow' | 'ask' | null;
};

/**
 * A player approves or declines on our page. Exactly one decision wins, and repeating it gives the same outcome.
 *
 * A refusal leaves the request unchanged. `request-decided`: the other decision won, or the time ran out.
 * `confirmation-needed`: they sign in again and decide again.
 */
export async function approveOrDecline(service: Service, input: PageDecision): Promise<ApprovalOutcome> {
  const opened = await requestByFormToken(service, input.requestId, input.formToken, input.session);
  return input.decision === 'approve'
    ? approve(service, opened, input.nextTime)
    : decline(service, opened.request, input.nextTime);
}

async function approve(
  service: Service,
  { request, session }: OpenedRequest,
  nextTime: PageDecision['nextTime'],
): Promise<ApprovalOutcome> {
  // An approved request gets its earlier outcome: that pays nothing, so it needs no confirmation.
  if (request.status === 'pending' && confirmationOf(service, request.amount, session)?.given === false) {
    throw new Problem('confirmation-needed', 'A payment as large as this needs your password or passkey again.');
  }
  const app = await lookUpApp(service.db, request.appId);
  const { txHash } = await service.accept({
    transferId: transferIdOf(request.id),
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
      ...(nextTime && app?.autoApprove && { choice: await choiceOf(service, app, request, nextTime) }),
    },
  });
  return { kind: 'approved', requestId: request.id, txHash };
}

/** With the mail about it. A guest has no address. */
async function choiceOf(
  service: Service,
  app: App,
  { userId }: TransferRequest,
  nextTime: 'allow' | 'ask',
): Promise<NonNullable<Approval['choice']>> {
  const { limits } = await offerTo(service, app, userId);
  if (nextTime === 'ask') return { limits, asksAlways: true };
  const user = await lookUpUser(service.db, userId);
  if (!user?.email) return { limits, asksAlways: false };
  const expiresAt = new Date(Date.now() + limits.days * 86_400_000);
  const notice = limitNotice(service, app, { ...user, expiresAt }, limits);
  return { limits, asksAlways: false, writeNotice: () => sealMail(service, notice) };
}

async function decline(
  service: Service,
  request: TransferRequest,
  nextTime: PageDecision['nextTime'],
): Promise<ApprovalOutcome> {
  const { db } = service;
  refuseInTheDark(service);
  // A request out of time counts as expired, although that may not be recorded yet.
  const declined =
    request.status === 'expired'
      ? []
      : await db.transaction(async (tx) => {
          const moved = await transitionRequests(tx, [request.id], 'decline', `user:${request.userId}`);
          if (nextTime === 'ask') await revokeMandate(tx, request.userId, request.appId);
          return moved;
        });
  if (declined.length > 0) return { kind: 'declined', requestId: request.id };
  const decided = await lookUpRequest(db, request.id);
  const outcome = decided && (await outcomeOf({ db }, decided));
  if (outcome?.kind === 'declined') return outcome;
  throw new Problem('request-decided', `The request is ${decided?.status ?? 'gone'}.`);
}

/** The result that the game gets when the page is done. */
export type ApprovalOutcome =
  | { readonly kind: 'approved'; readonly requestId: RequestId; readonly txHash: Hash }
  | { readonly kind: 'declined'; readonly requestId: RequestId }
  | {
      readonly kind: 'failed';
      readonly requestId: RequestId;
      readonly status: 'expired' | 'cancelled' | 'failed';
    };

/** The player went back to the game without deciding, so the page can be opened again. */
export type NotAccepted = NotEnough | Blocked;

type NotEnough = {
  readonly kind: 'not-enough';
  readonly requestId: RequestId;
  /** `quarters-unconfirmed`: they had enough, and the chain is confirming it again. */
  readonly reason: 'insufficient-quarters' | 'quarters-unconfirmed';
  /** How much the request exceeds what they have. */
  readonly missing: Quarters;
  readonly expiresAt: Date;
};

/** Nobody can approve it at present, whatever the player has. They may decline it. */
type Blocked = {
  readonly kind: 'blocked';
  readonly requestId: RequestId;
  readonly reason: ApprovalBlock;
};

/** What the operator has stopped: the player, or the app. */
export type ApprovalBlock = 'account-frozen' | 'app-suspended';

/** The outcome of a decided request, always the same; null while it is pending. */
export async function outcomeOf(
  { db }: Pick<Service, 'db'>,
  request: TransferRequest,
): Promise<ApprovalOutcome | null> {
  const requestId = request.id;
  switch (request.status) {
    case 'pending':
      return null;
    case 'declined':
      return { kind: 'declined', requestId };
    case 'expired':
    case 'cancelled':
    case 'failed':
      return { kind: 'failed', requestId, status: request.status };
    case 'approved':
    case 'submitted':
    case 'completed': {
      const [transfer] = await findTransfersOfRequests(db, [requestId]);
      return { kind: 'approved', requestId, txHash: transfer!.txHash };
    }
  }
}

/** Signs how a request was decided, for the app that made it. A new proof is made for each call. */
export function proveOutcome(
  { results }: Pick<Service, 'results'>,
  { appId }: Pick<TransferRequest, 'appId'>,
  outcome: ApprovalOutcome,
): Promise<string> {
  const { kind, requestId } = outcome;
  return results.sign(appId, { outcome: kind, requestId, ...(kind === 'approved' && { txId: outcome.txHash }) });
}
