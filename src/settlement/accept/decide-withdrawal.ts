import { type PageReason, type Problem, refusedEntry } from '../../base/problems.ts';
import { asQuarters, lesser, type Quarters } from '../../base/quarters.ts';
import type { Settings } from '../../config/settings.ts';
import { withdrawalAddressKey } from '../../identity/withdrawal-addresses.ts';
import type { LockedAccount } from '../../ledger/accounts.ts';
import type { Instruction, Withdrawal } from '../../service/instruction.ts';
import type { LockedRows } from './lock-set.ts';

/** The most that apps and users may move at once, and that a person, and all together, may withdraw within 24 hours. */
export type WithdrawalLimits = Pick<Settings, 'maxAmount' | 'withdrawalUserDayLimit' | 'withdrawalDayLimit'>;

/** What an account may send outside at once: neither what is held, nor what came in and is not final (`young`). */
export function withdrawable(
  { posted, held }: Pick<LockedAccount, 'posted' | 'held'>,
  young: bigint,
  { maxAmount }: Pick<WithdrawalLimits, 'maxAmount'>,
): Quarters {
  const free = posted - held - young;
  return lesser(asQuarters(free > 0n ? free : 0n), maxAmount);
}

/** What the limits of 24 hours leave to one person. `withdrawn`: what was accepted of them, and of all. */
export function leftOfDay(
  limits: Omit<WithdrawalLimits, 'maxAmount'>,
  withdrawn: { readonly own: bigint; readonly all: bigint },
): { readonly own: Quarters; readonly all: Quarters } {
  const left = (limit: bigint, used: bigint) => asQuarters(limit > used ? limit - used : 0n);
  return {
    own: left(limits.withdrawalUserDayLimit, withdrawn.own),
    all: left(limits.withdrawalDayLimit, withdrawn.all),
  };
}

/** Why a withdrawal may not be accepted; null if it may, or if it is none. It is decided on what the group accepted before. */
export function refuseWithdrawal(
  { origin, from, to, amount }: Instruction,
  rows: LockedRows,
  limits: WithdrawalLimits,
): Problem | null {
  if (origin.kind !== 'withdrawal') return null;
  const { addresses, ours, withdrawn, young } = rows.withdrawals;
  if (ours.has(to)) return refusedEntry(['/address', { code: 'address-ours' }]);
  const isReady = addresses.get(withdrawalAddressKey({ userId: origin.userId, address: to })) === 'ready';
  if (!isReady || !rows.sessions.has(origin.session)) return refusedEntry(['/address', { code: 'address-not-ready' }]);
  const payer = rows.accounts.get(from);
  const free = payer ? withdrawable(payer, young.get(from) ?? 0n, limits) : asQuarters(0);
  const left = leftOfDay(limits, { own: withdrawn.ofUsers.get(origin.userId) ?? 0n, all: withdrawn.all });
  const reason = reasonAgainst(amount, { free, ...left });
  return reason && refusedEntry(['/amount', reason]);
}

function reasonAgainst(
  amount: bigint,
  { free, own, all }: { readonly free: bigint; readonly own: bigint; readonly all: bigint },
): PageReason | null {
  if (amount > free) return { code: 'withdrawal-above-free', number: free };
  if (amount > own) return { code: 'withdrawal-above-day', number: lesser(own, free) };
  return amount > all ? { code: 'withdrawal-above-all' } : null;
}

/** Counts an accepted withdrawal for the next one of the group. */
export function countWithdrawn({ userId }: Withdrawal, amount: Quarters, { withdrawals }: LockedRows): void {
  const { withdrawn } = withdrawals;
  withdrawn.all = asQuarters(withdrawn.all + amount);
  withdrawn.ofUsers.set(userId, asQuarters((withdrawn.ofUsers.get(userId) ?? 0n) + amount));
}
