import type { RequestId } from '../../base/ids.ts';
import { Problem } from '../../base/problems.ts';
import { asQuarters, lesser, type Quarters } from '../../base/quarters.ts';
import { type App, type AutoApproveConsent, lookUpApp } from '../../identity/apps.ts';
import type { MandateLimits } from '../../identity/mandates.ts';
import { lookUpUser } from '../../identity/users.ts';
import { type Account, available, lookUpAccount } from '../../ledger/accounts.ts';
import { orphanedDeposits } from '../../ledger/orphaned-deposits.ts';
import { unclaimedRewards } from '../../ledger/rewards.ts';
import { lookUpRequest, type TransferRequest } from '../../requests/requests.ts';
import type { Service } from '../../service/service.ts';
import { type Confirmation, confirmationOf, offerTo } from '../../views/approvals/confirmation.ts';
import { type ApprovalBlock, type ApprovalOutcome, outcomeOf } from './approve-or-decline.ts';
import { issueFormToken, type OpenedRequest, type PageKey, requestByFormToken, requestByKey } from './page-access.ts';

/** What the app may take without asking, if the player agrees. */
export type MandateOffer = {
  readonly limits: MandateLimits;
  /** Approving agrees (`approval`), or a box does. */
  readonly consent: AutoApproveConsent;
  /** The player chose earlier that the app asks every time. */
  readonly asksAlways: boolean;
};

/** What the approval page shows. */
export type ApprovalView = {
  readonly app: App;
  readonly request: TransferRequest;
  /** A guest may decide in a frame; a full user decides only in one of our windows. */
  readonly byGuest: boolean;
  /** The player's own quarters that can be spent now. */
  readonly balance: Quarters;
  /** Granted and not claimed yet. Approving takes this first, then the balance. */
  readonly reward: Quarters;
  /** How much the request exceeds both. */
  readonly missing: Quarters;
  /** The missing quarters were there until a reorganisation reverted them; the chain is confirming them again. */
  readonly missingIsUnconfirmed: boolean;
  /** Present if the operator has frozen the player or suspended the app: it cannot be approved, only declined. */
  readonly block: ApprovalBlock | null;
  /** Present if the app is enabled. */
  readonly mandateOffer: MandateOffer | null;
  /** Present if approving needs a full user's password or passkey again. */
  readonly confirmation: Confirmation | null;
  /** The value of the form's hidden field. */
  readonly formToken: string;
  /** Present if the request is decided: the outcome of that decision. */
  readonly outcome: ApprovalOutcome | null;
};

/** Opens a request for the player it concerns. */
export async function openApproval(service: Service, requestId: RequestId, key: PageKey): Promise<ApprovalView> {
  const opened = await requestByKey(service, requestId, key);
  return { ...(await approvalView(service, opened)), formToken: issueFormToken(service, requestId, key) };
}

/** Opens it again by the form token of a guest's page, which keeps the same token: reopening does not extend its life. */
export async function reopenApproval(service: Service, requestId: RequestId, formToken: string): Promise<ApprovalView> {
  const opened = await requestByFormToken(service, requestId, formToken, null);
  return { ...(await approvalView(service, opened)), formToken };
}

/** The view without its token, also for a page shown again after a refusal. */
export async function approvalView(
  service: Service,
  { request, session }: OpenedRequest,
): Promise<Omit<ApprovalView, 'formToken'>> {
  const { db } = service;
  const [app, account, user, reward] = await Promise.all([
    lookUpApp(db, request.appId),
    lookUpAccount(db, request.from),
    lookUpUser(db, request.userId),
    unclaimedRewards(db, request.userId),
  ]);
  if (!app || !account || !user) throw new Problem('not-found', 'There is no such request for you.');
  const balance = available(account);
  const own = request.amount - lesser(reward, request.amount);
  const missing = asQuarters(own > balance ? own - balance : 0n);
  return {
    app,
    request,
    byGuest: user.kind === 'guest',
    balance,
    reward,
    missing,
    missingIsUnconfirmed: missing > 0n && (await isReturning(service, account, own)),
    block: app.suspendedAt ? 'app-suspended' : account.frozenAt ? 'account-frozen' : null,
    mandateOffer: app.autoApprove ? await offerOf(service, app, request) : null,
    confirmation: confirmationOf(service, request.amount, session),
    outcome: await outcomeOf(service, request),
  };
}

async function offerOf(service: Service, app: App, { userId }: TransferRequest): Promise<MandateOffer> {
  const consent = app.autoApproveConsent;
  const { limits, asksAlways } = await offerTo(service, app, userId);
  return { limits, consent, asksAlways };
}

/** Whether the account covers `amount` after the chain gives back what a reorganisation took from it. */
async function isReturning(
  { db }: Pick<Service, 'db'>,
  { address, posted, held }: Account,
  amount: bigint,
): Promise<boolean> {
  const orphaned = (await orphanedDeposits(db, [address])).get(address);
  return orphaned !== undefined && posted - held + orphaned >= amount;
}

/** What a frame shows of a payment that the player decides in one of our windows. */
export type FrameOffer = Pick<ApprovalView, 'app' | 'request' | 'outcome'>;

/**
 * A full user's request, for a frame, if nobody is signed in. Anybody who knows its id sees who asks and how much,
 * as does the game that made it. The outcome is for a frame that has followed the payment. Null if there is none.
 */
export async function frameOffer(service: Service, requestId: RequestId): Promise<FrameOffer | null> {
  const { db } = service;
  const request = await lookUpRequest(db, requestId);
  if (request?.source !== 'user') return null;
  const [app, user] = await Promise.all([lookUpApp(db, request.appId), lookUpUser(db, request.userId)]);
  return app && user?.kind === 'full' ? { app, request, outcome: await outcomeOf(service, request) } : null;
}
