import { timestamp } from '../../base/dates.ts';
import { newEventId } from '../../base/ids.ts';
import type { Tx } from '../../db/database.ts';
import { holdLivingApps } from '../../identity/apps.ts';
import { SCOPES } from '../../identity/callers.ts';
import { closeGuest } from '../../identity/closed-guests.ts';
import { grantConsent } from '../../identity/consents.ts';
import { findGuestToken, revokeGuestTokens } from '../../identity/guest-tokens.ts';
import { revokeMandatesOf } from '../../identity/mandates.ts';
import { lockUsers, type User } from '../../identity/users.ts';
import { mergeAccountOfGuest } from '../../ledger/closed-accounts.ts';
import { holdSession, type Session } from '../../oauth/sessions.ts';
import { insertCode } from '../../oauth/tokens.ts';
import { recordChange } from '../../operator-log/record.ts';
import { findPendingRequestsOfUser } from '../../requests/requests.ts';
import type { Service } from '../../service/service.ts';
import { accountFrozen } from '../../service/stopped.ts';
import { refuseInTheDark } from '../../settlement/may-act.ts';
import { transitionRequests } from '../../settlement/transition-requests.ts';
import { insertEvents } from '../../webhooks/events.ts';
import { emptyClosedAccounts } from '../accounts/close-account.ts';
import { type Converted, type GuestToConvert, redeemable } from './convert-guest.ts';

export type GuestToMerge = Pick<
  GuestToConvert,
  'appId' | 'userId' | 'tokenHash' | 'flowId' | 'redirectUri' | 'codeChallenge'
> & {
  /** The player, signed in, whose account the e-mail address of the flow is. */
  readonly into: User;
  readonly session: Session;
};

/** `gone`: the guest, its token or the account is no longer valid, or the app is suspended, perhaps since a moment ago. */
export type MergeResult = Converted | { readonly kind: 'gone' };

/**
 * Closes a guest whose player has an account already, and sends the guest's quarters there. The app gets a code for the account, which it
 * may use as if the player had allowed it to. It learns both ids by `guest.merged`. Of concurrent merges and conversions of a guest exactly
 * one happens.
 *
 * Nothing is lost or doubled. One transaction closes the guest and stores where its quarters go; before it the guest has them, and
 * can spend them. Afterwards nobody can approve for the guest, and its free balance leaves by an ordinary transfer, which holds it: a
 * second one finds nothing to send. That happens at once. If the process dies, or cannot accept now, the loop of closed accounts does
 * it. So does it with what comes free or arrives later: a payment that is cancelled on the chain, a payout accepted before, a deposit.
 * Payments approved before still happen. What waits for an approval is cancelled, and the app asks the account instead. Mandates end: the
 * player agrees to a limit anew. A guest has no rewards.
 */
export async function mergeGuest(service: Service, merge: GuestToMerge): Promise<MergeResult> {
  refuseInTheDark(service);
  const { into, appId, userId: guest } = merge;
  const code = await service.db.transaction((tx) => mergeIn(tx, service, merge));
  if (code === null) return { kind: 'gone' };
  service.security.note('guest-merged', { userId: into.id, appId, what: guest });
  await emptyClosedAccounts(service).catch((error: unknown) =>
    service.log.warn({ reason: (error as Error).message }, 'quarters of a merged guest are moved later'),
  );
  return { kind: 'converted', code, session: null };
}

/**
 * The result of a merge that has just happened, while its code can still be redeemed; else null. For a form sent twice, as with
 * conversions. `into`: who has sent it.
 */
export async function repeatMerge(
  service: Service,
  { flowId, into }: Pick<GuestToMerge, 'flowId' | 'into'>,
): Promise<Converted | null> {
  const found = await redeemable(service, codesOf(service, flowId));
  return found?.userId === into.id ? { kind: 'converted', code: found.code, session: null } : null;
}

/** Not the codes of the flow's conversion, which opens a session for whoever repeats it. */
function codesOf({ vault }: Service, flowId: string): string[] {
  return vault.everyMac('guest merge', flowId).map((mac) => mac.toString('base64url'));
}

/** Locks in the documented order: app, users, requests, mandates, consent, guest tokens, session, accounts. Returns the code. */
async function mergeIn(tx: Tx, service: Service, merge: GuestToMerge): Promise<string | null> {
  const { into, session, appId, userId: guest, redirectUri, codeChallenge } = merge;
  if ((await holdLivingApps(tx, [appId])).get(appId)?.suspendedAt !== null) return null;
  const users = await lockUsers(tx, [guest, into.id]);
  if (users.get(into.id)?.kind !== 'full' || users.get(guest)?.guestOf !== appId) return null;
  const token = await findGuestToken(tx, merge.tokenHash, service.settings.guestTokenDays);
  if (token?.userId !== guest || !token.alive || !(await closeGuest(tx, guest))) return null;
  await transitionRequests(tx, await findPendingRequestsOfUser(tx, guest), 'cancel', `user:${guest}`);
  await revokeMandatesOf(tx, guest);
  await grantConsent(tx, { userId: into.id, appId, scopes: SCOPES });
  await revokeGuestTokens(tx, guest);
  await holdSession(tx, session);
  const code = await insertCode(tx, {
    code: codesOf(service, merge.flowId)[0]!,
    userId: into.id,
    appId,
    scopes: SCOPES.join(' '),
    ...(redirectUri !== null && { redirectUri }),
    ...(codeChallenge !== undefined && { codeChallenge }),
  });
  const data = { userId: guest, appId, mergedInto: into.id, merged: timestamp(new Date()) };
  await insertEvents(tx, [{ id: newEventId(), appId, type: 'guest.merged', sequence: 1, subject: { data } }]);
  const after = { app: appId, guest: { user: guest } };
  await recordChange(tx, { action: 'guest-merged', subject: { kind: 'user', id: into.id }, after, by: into.id });
  if (!(await mergeAccountOfGuest(tx, guest, into.id))) throw accountFrozen(service.settings);
  return code;
}
