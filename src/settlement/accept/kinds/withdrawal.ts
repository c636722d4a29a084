import { type PageReason, refusedEntry } from '../../../base/problems.ts';
import { asQuarters, lesser, type Quarters } from '../../../base/quarters.ts';
import { withdrawalAddressKey } from '../../../identity/withdrawal-addresses.ts';
import type { LockedAccount } from '../../../ledger/accounts.ts';
import { refuseWhileSuspended } from '../../may-act.ts';
import type { LockedRows } from '../lock-set.ts';
import { type Decision, refuseStoppedPlayer, refuseWith, type WithdrawalLimits } from '../refusals.ts';
import { type InstructionOf, type PaymentKind, withoutRequest } from './kind.ts';

/** A player sends quarters to an address of their own, outside of this service. */
export const withdrawal = {
  ...withoutRequest,
  refuseEarly: refuseWhileSuspended,
  wants({ origin, from, to }, wanted) {
    const { userId, session, finalBlock } = origin;
    wanted.addresses.push({ userId, address: to });
    wanted.sessions.push(session);
    wanted.withdrawers.push(userId);
    wanted.outside.push(to);
    wanted.finals.push({ address: from, block: finalBlock });
  },
  refuse: (instruction, rows, rules) =>
    refuseStoppedPlayer(instruction, rows, rules) ?? refuseWithdrawal(instruction, rows, rules),
  count({ origin: { userId }, amount }, { withdrawals: { withdrawn } }) {
    withdrawn.all = asQuarters(withdrawn.all + amount);
    withdrawn.ofUsers.set(userId, asQuarters((withdrawn.ofUsers.get(userId) ?? 0n) + amount));
  },
  store({ origin, transferId, amount }, written) {
    written.withdrawals.push({ transferId, userId: origin.userId, amount });
    written.notices.push(origin);
  },
  // An app pays nobody but players. If it did, it would be this.
  flow: { 'player>outside': 'withdrawal', 'app>outside': 'withdrawal', 'app>app': 'withdrawal' },
} as const satisfies PaymentKind<'withdrawal'>;

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

/** Why it may not be accepted; null if it may. It is decided on what the group accepted before. */
function refuseWithdrawal(
  { origin, from, to, amount }: InstructionOf<'withdrawal'>,
  rows: LockedRows,
  limits: WithdrawalLimits,
): Decision | null {
  const { addresses, ours, withdrawn, young } = rows.withdrawals;
  if (ours.has(to)) return refuseWith(refusedEntry(['/address', { code: 'address-ours' }]));
  const isReady = addresses.get(withdrawalAddressKey({ userId: origin.userId, address: to })) === 'ready';
  if (!isReady || !rows.sessions.has(origin.session))
    return refuseWith(refusedEntry(['/address', { code: 'address-not-ready' }]));
  const payer = rows.accounts.get(from);
  const free = payer ? withdrawable(payer, young.get(from) ?? 0n, limits) : asQuarters(0);
  const left = leftOfDay(limits, { own: withdrawn.ofUsers.get(origin.userId) ?? 0n, all: withdrawn.all });
  const reason = reasonAgainst(amount, { free, ...left });
  return reason && refuseWith(refusedEntry(['/amount', reason]));
}

function reasonAgainst(
  amount: bigint,
  { free, own, all }: { readonly free: bigint; readonly own: bigint; readonly all: bigint },
): PageReason | null {
  if (amount > free) return { code: 'withdrawal-above-free', number: free };
  if (amount > own) return { code: 'withdrawal-above-day', number: lesser(own, free) };
  return amount > all ? { code: 'withdrawal-above-all' } : null;
}
