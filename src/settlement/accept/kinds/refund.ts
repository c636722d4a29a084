import { asQuarters } from '../../../base/quarters.ts';
import { roleKey } from '../../../identity/app-members.ts';
import { roleMay } from '../../../identity/app-roles.ts';
import { notRefundable, refundTooLarge } from '../../../service/instruction.ts';
import type { LockedRows } from '../lock-set.ts';
import { type Decision, refused, refuseKey, refuseLarge, refuseStoppedPayer, refuseWith } from '../refusals.ts';
import type { InstructionOf, OriginOf, PaymentKind } from './kind.ts';
import { paidByApp } from './payout.ts';

/** An app pays back what a player has paid. */
export const refund = {
  ...paidByApp,
  wants({ origin, to }, wanted) {
    const { request, member } = origin;
    wanted.requests.push(request.refundOf);
    wanted.refunds.push(request.refundOf);
    wanted.paid.add(to);
    if (!member) return;
    wanted.members.push({ userId: member.userId, appId: request.appId });
    wanted.sessions.push(member.session);
  },
  refuse: (instruction, rows, rules) =>
    decideRefund(instruction, rows) ??
    refuseLarge(instruction, rules) ??
    refuseKey(paidByApp.key(instruction.origin), rows) ??
    refuseMember(instruction.origin, rows) ??
    refuseStoppedPayer(instruction, rows, rules),
  count({ origin, amount }, { refunds }) {
    const { refundOf } = origin.request;
    refunds.set(refundOf, asQuarters((refunds.get(refundOf) ?? 0n) + amount));
  },
  store({ origin: { request, member } }, written) {
    written.requests.push(request);
    if (member) written.changes.push(member.change);
  },
  name: ({ origin }) => ({ part: 'refund', id: origin.request.id }),
  tells: ({ request: { appId, userId } }) => ({ kind: 'refund', appId, userId }),
  // Without its request it is like a payout.
  flow: {},
} as const satisfies PaymentKind<'refund'>;

/** A payment that a reorganisation reverted is not refunded until it is paid again. */
function decideRefund({ origin, amount }: InstructionOf<'refund'>, rows: LockedRows): Decision | null {
  const id = origin.request.refundOf;
  const payment = rows.requests.get(id);
  if (!payment) return refused('not-found', 'There is no such request.');
  if (payment.status !== 'completed') return refuseWith(notRefundable(payment.status));
  const left = payment.amount - (rows.refunds.get(id) ?? 0n);
  return amount <= left ? null : refuseWith(refundTooLarge(left));
}

/** Why a member of an app's team may not refund any more; null if they may, or if no member does. */
function refuseMember({ request, member }: OriginOf<'refund'>, rows: LockedRows): Decision | null {
  if (!member) return null;
  const role = rows.roles.get(roleKey({ appId: request.appId, userId: member.userId }));
  if (!role || !roleMay(role, 'refund')) return refused('role-not-allowed', 'You may not refund payments any more.');
  return rows.sessions.has(member.session) ? null : refused('token-expired', 'You have been signed out.');
}
