import type { Hash } from '../../src/base/hex.ts';
import { type RequestId, requestIdFrom } from '../../src/base/ids.ts';
import { Problem } from '../../src/base/problems.ts';
import { closeAccount } from '../../src/features/accounts/close-account.ts';
import { approveOrDecline, type PageDecision } from '../../src/features/approvals/approve-or-decline.ts';
import { type MandateOffer, openApproval } from '../../src/features/approvals/open-approval.ts';
import { type PageKey, requestByKey } from '../../src/features/approvals/page-access.ts';
import { reportProblem } from '../../src/features/reports/reports.ts';
import type { User } from '../../src/identity/users.ts';
import { endSession, findSession, type Session, startSession } from '../../src/oauth/sessions.ts';
import type { Reason } from '../../src/requests/reports.ts';
import type { Service } from '../../src/service/service.ts';
import { limitSpending, playerOf, requireAutoApproval, tokensOfGuest } from './players.ts';
import { Refused } from './refused.ts';
import type { World } from './world.ts';

// What players do on our pages, by what the pages call. What a page asks for first is there: a guest has a page token of its game, and a full
// user has signed in a moment ago.

/** What the player chose on the page of a payment. */
export type Choice = {
  readonly request: string;
  /** Left out: as the page has it when it opens. */
  readonly askEveryTime?: boolean;
  /** Of quarters a day that the app may take without asking from now on. */
  readonly limit?: number;
};

export type Decided = { readonly outcome: string; readonly requestId: RequestId; readonly txId?: Hash };

export async function approve({ service }: World, player: string, choice: Choice): Promise<Decided> {
  const { askEveryTime, limit } = choice;
  if (askEveryTime && limit !== undefined) throw new Refused('Either the app asks every time, or it has a limit.');
  const user = await playerOf(service, player);
  return withKey(service, user, async (key) => {
    const { app, mandateOffer, formToken } = await openApproval(service, requestOf(choice), key);
    if (limit !== undefined) requireAutoApproval(app);
    const nextTime = mandateOffer && nextTimeOf(mandateOffer, limit === undefined ? askEveryTime : false);
    const decided = await decide(service, key, { ...choice, formToken, decision: 'approve', nextTime });
    if (limit !== undefined) await limitSpending(service, user.id, app, limit);
    return decided;
  });
}

/** What the form of the page sends. */
function nextTimeOf({ consent, asksAlways }: MandateOffer, askEveryTime?: boolean): PageDecision['nextTime'] {
  const asks = askEveryTime ?? (consent === 'box' || asksAlways);
  if (!asks) return 'allow';
  return consent === 'box' ? null : 'ask';
}

export async function decline({ service }: World, player: string, choice: Pick<Choice, 'request'>): Promise<Decided> {
  return withKey(service, await playerOf(service, player), async (key) => {
    const { formToken } = await openApproval(service, requestOf(choice), key);
    return decide(service, key, { ...choice, formToken, decision: 'decline', nextTime: null });
  });
}

async function decide(
  service: Service,
  key: PageKey,
  { formToken, decision, nextTime, ...choice }: Choice & Pick<PageDecision, 'formToken' | 'decision' | 'nextTime'>,
): Promise<Decided> {
  const session = typeof key === 'string' ? null : key;
  const outcome = await approveOrDecline(service, {
    requestId: requestOf(choice),
    formToken,
    session,
    decision,
    nextTime,
  });
  const { kind, requestId } = outcome;
  return { outcome: kind, requestId, ...(outcome.kind === 'approved' && { txId: outcome.txHash }) };
}

export type Report = Pick<Choice, 'request'> & { readonly reason?: Reason; readonly text?: string };

export async function report({ service }: World, player: string, given: Report): Promise<void> {
  const { reason = 'other', text = '' } = given;
  const user = await playerOf(service, player);
  await withKey(service, user, async (key) => {
    const { request } = await requestByKey(service, requestOf(given), key);
    await reportProblem(service, { request, reason, text, address: user.id });
  });
}

export async function closeAccountOf({ service }: World, player: string): Promise<void> {
  const user = await playerOf(service, player);
  await signedIn(service, user, async (session) => {
    const isClosed = await closeAccount(service, user, session);
    if (!isClosed) throw new Refused('The account cannot be closed: it owns apps.');
  });
}

function requestOf({ request }: Pick<Choice, 'request'>): RequestId {
  const id = requestIdFrom(request);
  if (!id) throw new Problem('not-found', `There is no request "${request}".`);
  return id;
}

/** With what opens the pages of the player's payments. */
async function withKey<T>(service: Service, user: User, act: (key: PageKey) => Promise<T>): Promise<T> {
  if (user.kind !== 'guest') return signedIn(service, user, act);
  return act((await tokensOfGuest(service, user)).pageToken);
}

/** In a session of their own, which they leave afterwards. It has what a password and a mailed code open. */
export async function signedIn<T>(service: Service, user: User, act: (session: Session) => Promise<T>): Promise<T> {
  if (user.kind === 'guest') throw new Refused('A guest has no account page: the player signs up first.');
  const { db, settings } = service;
  const cookie = await startSession(db, user.id, ['otp', 'pwd']);
  try {
    return await act((await findSession(db, cookie, settings.sessionIdleMinutes))!);
  } finally {
    await endSession(db, cookie);
  }
}
