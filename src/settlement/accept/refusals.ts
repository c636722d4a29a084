import type { RequestId } from '../../base/ids.ts';
import { Problem } from '../../base/problems.ts';
import type { Settings } from '../../config/settings.ts';
import { capKey, type DayCap } from '../../identity/key-caps.ts';
import type { RewardPart } from '../../ledger/reward-claims.ts';
import { amountTooLarge, type Instruction } from '../../service/instruction.ts';
import { accountFrozen, appSuspended } from '../../service/stopped.ts';
import type { LockedRows } from './lock-set.ts';
import type { UsedKey } from './wanted-rows.ts';

/** The most that apps and users may move at once, and that a person, and all together, may withdraw within 24 hours. */
export type WithdrawalLimits = Pick<Settings, 'maxAmount' | 'withdrawalUserDayLimit' | 'withdrawalDayLimit'>;

/** `supportUrl`: whom a refusal names. */
export type Rules = Pick<Settings, 'supportUrl'> & WithdrawalLimits;

/** The decision about an instruction on the locked rows. */
export type Decision =
  /** `rewards`: the part that the treasury pays; the payer pays the rest. */
  | { readonly kind: 'accepted'; readonly rewards: readonly RewardPart[] }
  /** Approved before: the outcome of that decision is the answer. */
  | { readonly kind: 'repeated'; readonly requestId: RequestId }
  | RefusedPayment;

export type RefusedPayment = { readonly kind: 'refused'; readonly problem: Problem };

export function refuseWith(problem: Problem): RefusedPayment {
  return { kind: 'refused', problem };
}

export function refused(code: ConstructorParameters<typeof Problem>[0], detail: string): RefusedPayment {
  return refuseWith(new Problem(code, detail));
}

// Steps that several kinds share. Each gives null if it allows the instruction.

export function refuseLarge({ amount }: Instruction, { maxAmount }: Rules): RefusedPayment | null {
  return amount > maxAmount ? refuseWith(amountTooLarge(maxAmount)) : null;
}

/** A revoked key is not locked, so it has no cap either. */
export function refuseKey(key: UsedKey | null, rows: LockedRows): RefusedPayment | null {
  if (!key || (!rows.revokedKeys.has(capKey(key.hash)) && (!key.cap || capOf(key, rows)))) return null;
  return refused('token-invalid', 'The credential was revoked.');
}

/** The daily cap of a key; undefined or null if it has none, or is revoked. */
export function capOf(key: UsedKey | null, { keyDays }: LockedRows): DayCap | null | undefined {
  return key?.cap && keyDays.get(capKey(key.hash))?.[key.cap];
}

/** A frozen user pays nothing, but may be paid: payouts and refunds reach them. */
export function refuseStoppedPlayer({ from, to }: Instruction, rows: LockedRows, rules: Rules): RefusedPayment | null {
  if (rows.suspended.has(to)) return refuseWith(appSuspended(rules));
  return isFrozen(from, rows) ? refuseWith(accountFrozen(rules)) : null;
}

/** Of what no player pays. */
export function refuseStoppedPayer({ from }: Instruction, rows: LockedRows, rules: Rules): RefusedPayment | null {
  return isFrozen(from, rows) ? refuseWith(appSuspended(rules)) : null;
}

/** The payer's row is locked, so freezing comes before a decision or after it. */
function isFrozen(payer: Instruction['from'], { accounts }: LockedRows): boolean {
  return (accounts.get(payer)?.frozenAt ?? null) !== null;
}
