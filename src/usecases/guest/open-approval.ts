import type { RequestId } from '../../base/ids.ts';
import { Problem } from '../../base/problems.ts';
import { asQuarters, lesser, type Quarters } from '../../base/quarters.ts';
import { type App, findApp } from '../../identity/apps.ts';
import type { StandingLimits } from '../../identity/standing-approvals.ts';
import { findUser } from '../../identity/users.ts';
import { type Account, available, findAccount } from '../../ledger/accounts.ts';
import { orphanedDeposits } from '../../ledger/orphaned-deposits.ts';
import { unclaimedRewards } from '../../ledger/rewards.ts';
import type { TransferRequest } from '../../requests/requests.ts';
import { type Confirmation, confirmationOf } from '../confirmation.ts';
import type { Service } from '../service.ts';
import { standingOffer } from '../standing-offer.ts';
import { type Outcome, outcomeOf } from './outcome.ts';
import { issueFormToken, type OpenedRequest, type PageKey, requestByFormToken, requestByKey } from './page-access.ts';

/** What the approval page shows. */
export type ApprovalView = {
  readonly app: App;
  readonly request: TransferRequest;
  /** A guest decides in a frame too; a full user in a window of ours alone. */
  readonly byGuest: boolean;
  /** What the player can spend now of their own. */
  readonly balance: Quarters;
  /** Granted and not claimed yet: approving takes it first, then the balance. */
  readonly reward: Quarters;
  /** How much more than both the request takes. */
  readonly missing: Quarters;
  /** That was there, and a reorganisation has taken it back: the chain is confirming it again. */
  readonly missingIsUnconfirmed: boolean;
  /** Present where the app is enabled: what ticking "without asking" would allow. */
  readonly standingOffer: StandingLimits | null;
  /** Present where approving needs a full user's password or passkey once more. */
  readonly confirmation: Confirmation | null;
  /** Goes into the form's hidden field. */
  readonly formToken: string;
  /** Present where the request is decided: the same outcome as then. */
  readonly outcome: Outcome | null;
};

/** Opens a request for the player it concerns. Throws `not-found`, `token-expired`. */
export async function openApproval(service: Service, requestId: RequestId, key: PageKey): Promise<ApprovalView> {
  const opened = await requestByKey(service, requestId, key);
  return { ...(await approvalView(service, opened)), formToken: issueFormToken(service, requestId, key) };
}

/**
 * Opens it anew by the form token of a guest's page, which it keeps: by being opened again and again it lives no longer. Throws like
 * {@link requestByFormToken}.
 */
export async function reopenApproval(service: Service, requestId: RequestId, formToken: string): Promise<ApprovalView> {
  const opened = await requestByFormToken(service, requestId, formToken, null);
  return { ...(await approvalView(service, opened)), formToken };
}

/** Everything of the view but the token; also for a page shown again after a refusal. */
export async function approvalView(
  service: Service,
  { request, session }: OpenedRequest,
): Promise<Omit<ApprovalView, 'formToken'>> {
  const { db } = service;
  const [app, account, user, reward] = await Promise.all([
    findApp(db, request.appId),
    findAccount(db, request.from),
    findUser(db, request.userId),
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
    missingIsUnconfirmed: missing > 0n && (await comesBack(service, account, own)),
    standingOffer: app.autoApprove ? standingOffer(service) : null,
    confirmation: confirmationOf(service, request.amount, session),
    outcome: await outcomeOf(service, request),
  };
}

/** Whether the account covers `amount` once it has again what a reorganisation took from it. */
async function comesBack(
  { db }: Pick<Service, 'db'>,
  { address, posted, held }: Account,
  amount: bigint,
): Promise<boolean> {
  const orphaned = (await orphanedDeposits(db, [address])).get(address);
  return orphaned !== undefined && posted - held + orphaned >= amount;
}
