import { asQuarters, type Quarters } from '../../../base/quarters.ts';
import { mandateKey } from '../../../identity/mandates.ts';
import { after } from '../../../requests/states.ts';
import type { Approval } from '../../../service/instruction.ts';
import { refuseWhileSuspended } from '../../may-act.ts';
import type { LockedRows } from '../lock-set.ts';
import { type Decision, refused, refuseKey, refuseLarge, refuseStoppedPlayer } from '../refusals.ts';
import type { UsedKey } from '../wanted-rows.ts';
import { none, type PaymentKind } from './kind.ts';

/** A player pays what an app has asked for. */
export const approval = {
  refuseEarly: refuseWhileSuspended,
  app: 'to',
  request: ({ requestId }) => requestId,
  makes: none,
  rewarded: ({ userId }) => userId,
  key: keyOf,
  wants({ origin, to }, wanted) {
    const { requestId, userId, appId, by, session, guest, choice } = origin;
    wanted.requests.push(requestId);
    wanted.approved.add(to);
    if (session !== undefined) wanted.sessions.push(session);
    if (guest) wanted.guests.push(userId);
    if (choice) wanted.granting.push(appId);
    if (choice || by === 'mandate') wanted.mandates.push({ userId, appId });
  },
  refuse: (instruction, rows, rules) =>
    decideApproval(instruction.origin, instruction.amount, rows) ??
    refuseLarge(instruction, rules) ??
    refuseKey(keyOf(instruction.origin), rows) ??
    refuseStoppedPlayer(instruction, rows, rules),
  count({ origin, transferId, amount }, rows) {
    rows.approvedHere.set(origin.requestId, transferId);
    const mandate = origin.by === 'mandate' ? rows.mandates.get(mandateKey(origin)) : undefined;
    if (mandate) mandate.spentToday = asQuarters(mandate.spentToday + amount);
  },
  store: ({ origin }, written) => void written.approvals.push(origin),
  name: ({ origin }) => ({ part: 'payment', id: origin.requestId }),
  tells: ({ appId, userId, by }) => ({ kind: by === 'mandate' ? 'auto-approval' : 'approval', appId, userId }),
  flow: { 'player>app': 'payment' },
} as const satisfies PaymentKind<'approval'>;

/** Every key that may approve has a cap. */
function keyOf({ keyHash }: Approval): UsedKey | null {
  return keyHash ? { hash: keyHash, cap: 'approve' } : null;
}

function decideApproval(approval: Approval, amount: Quarters, rows: LockedRows): Decision | null {
  const request = rows.requests.get(approval.requestId);
  if (!request) return refused('not-found', 'There is no such request.');
  if (rows.approvedHere.has(request.id)) return { kind: 'repeated', requestId: request.id };
  if (after(request.status, 'approve') === null) {
    const wasApproved =
      request.status === 'approved' || request.status === 'submitted' || request.status === 'completed';
    if (wasApproved) return { kind: 'repeated', requestId: request.id };
    return refused('request-decided', `The request is ${request.status}.`);
  }
  if (approval.session !== undefined && !rows.sessions.has(approval.session)) {
    return refused('token-expired', 'You have signed out. Open the payment again.');
  }
  // Conversion to a full user ends everything that the guest's tokens allow.
  if (approval.guest && !rows.guests.has(approval.userId)) {
    return refused('not-found', 'There is no such request for you.');
  }
  return approval.by === 'mandate' ? refuseBeyondMandate(approval, amount, rows) : null;
}

function refuseBeyondMandate(approval: Approval, amount: Quarters, rows: LockedRows): Decision | null {
  const mandate = rows.mandates.get(mandateKey(approval));
  if (!mandate) {
    return refused('auto-approve-not-granted', 'The user has not allowed this app to take quarters without asking.');
  }
  if (amount > mandate.maxPerTransfer) {
    return refused(
      'auto-approve-limit',
      `The mandate allows ${mandate.maxPerTransfer} quarters per payment; ${amount} are needed.`,
    );
  }
  if (mandate.spentToday + amount > mandate.maxPerDay) {
    const left = mandate.maxPerDay - mandate.spentToday;
    return refused('auto-approve-limit', `The mandate allows ${left > 0n ? left : 0n} more quarters today.`);
  }
  return null;
}
