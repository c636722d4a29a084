import { Problem } from '../../base/problems.ts';
import type { Settings } from '../../config/settings.ts';
import { roleKey } from '../../identity/app-members.ts';
import { roleMay } from '../../identity/app-roles.ts';
import type { Instruction } from '../../service/instruction.ts';
import { accountFrozen, appSuspended } from '../../service/stopped.ts';
import type { LockedRows } from './lock-set.ts';

/**
 * Why nothing may be accepted between these two; null if it may. A frozen user pays nothing, but may be paid: payouts and refunds reach
 * them. The payer's row is locked, so freezing comes before a decision or after it.
 */
export function refuseStopped(
  { origin, from, to }: Instruction,
  rows: LockedRows,
  settings: Pick<Settings, 'supportUrl'>,
): Problem | null {
  const payerIsFrozen = (rows.accounts.get(from)?.frozenAt ?? null) !== null;
  const isPlayers = origin.kind === 'approval' || origin.kind === 'withdrawal';
  const appIsSuspended = isPlayers ? rows.suspended.has(to) : payerIsFrozen;
  if (appIsSuspended) return appSuspended(settings);
  return payerIsFrozen ? accountFrozen(settings) : null;
}

/** Why a member of an app's team may not refund any more; null if they may, or if no member does. */
export function refuseMember({ origin }: Instruction, rows: LockedRows): Problem | null {
  if (origin.kind !== 'payout' || !origin.member) return null;
  const { userId, session } = origin.member;
  const role = rows.roles.get(roleKey({ appId: origin.request.appId, userId }));
  if (!role || !roleMay(role, 'refund'))
    return new Problem('role-not-allowed', 'You may not refund payments any more.');
  return rows.sessions.has(session) ? null : new Problem('token-expired', 'You have been signed out.');
}
