import type { ModelGuest } from '../kit/unit/model.ts';
import type { Tables } from './tables.ts';

/** Requests that may wait for one user: few enough for runs to reach the limit. */
export const MAX_PENDING = 8;

/** A request as its caller knows it. */
export type KnownRequest = { readonly id: string; readonly guest: ModelGuest; readonly amount: number };

// The expected answers to single calls, from the tables before them: the code of the refusal, or null.

/**
 * Why this account cannot pay this amount of its own now: it lacks quarters, or enough of them are being mined again;
 * or null.
 */
export function refusedForWant({ accounts, orphaned_deposits }: Tables, from: string, amount: number): string | null {
  const { posted, held } = accounts.find(({ address }) => address === from)!;
  const missing = amount - (posted - held);
  const orphaned = orphaned_deposits.find(({ address }) => address === from)?.amount ?? 0;
  if (missing <= 0) return null;
  return missing > orphaned ? 'insufficient-quarters' : 'quarters-unconfirmed';
}

/** The key with which the guest's app asks and approves. */
const cappedKey = ({ app_keys }: Tables, { app }: ModelGuest) =>
  app_keys.find(({ app_id, ask_per_day }) => app_id === app.id && ask_per_day !== null)!;

/** Whether the operator has frozen the account. Nobody has frozen one that is not known. */
export function isFrozen({ accounts }: Tables, of: { readonly address: string }): boolean {
  return (accounts.find(({ address }) => address === of.address)?.frozen_at ?? null) !== null;
}

/** How many requests of the guest's app wait for the guest's decision. */
export function pendingOf({ requests }: Tables, { user_id, app_id }: { user_id: string; app_id: string }): number {
  const wait = requests.filter(({ status, expires_at }) => status === 'pending' && Date.parse(expires_at) > Date.now());
  return wait.filter((request) => request.user_id === user_id && request.app_id === app_id).length;
}

function refundedOf({ requests }: Tables, id: string): number {
  return requests
    .filter(({ refund_of, status }) => refund_of === id && status !== 'failed')
    .reduce((sum, { amount }) => sum + amount, 0);
}

export function refusedAsking(tables: Tables, guest: ModelGuest, amount: number, byServer: boolean): string | null {
  if (isFrozen(tables, guest.app)) return 'app-suspended';
  if (byServer) {
    const key = cappedKey(tables, guest);
    if (key.asked_today + amount > key.ask_per_day!) return 'key-limit';
    // Became a full user without consent for any app.
    if (guest.full) return 'not-found';
  }
  return pendingOf(tables, { user_id: guest.userId, app_id: guest.app.id }) < MAX_PENDING ? null : 'limit-reached';
}

export function refusedPayout(tables: Tables, { app }: ModelGuest, amount: number): string | null {
  return isFrozen(tables, app) ? 'app-suspended' : refusedForWant(tables, app.address, amount);
}

function refusedStop(tables: Tables, guest: ModelGuest): string | null {
  if (isFrozen(tables, guest.app)) return 'app-suspended';
  return isFrozen(tables, guest) ? 'account-frozen' : null;
}

export function refusedSpend(tables: Tables, guest: ModelGuest, amount: number): string | null {
  const stop = refusedStop(tables, guest);
  if (stop) return stop;
  const { userId, address } = guest;
  const reward = tables.rewards
    .filter(({ user_id }) => user_id === userId)
    .reduce((sum, { amount, claimed }) => sum + Math.max(amount - claimed, 0), 0);
  return refusedForWant(tables, address, amount - Math.min(reward, amount));
}

/** Rewards that only say what was spent of lost ones. */
export const isOfLost = ({ source, key }: Tables['rewards'][number]): boolean =>
  source === 'operator' && key.startsWith('recovered ');

export function refusedGrant(tables: Tables, { userId, full }: ModelGuest, amount: number, key: string): string | null {
  if (!full) return 'invalid-input';
  const earlier = tables.rewards.find((reward) => reward.source === 'operator' && reward.key === key);
  if (earlier) return earlier.user_id === userId && earlier.amount === amount ? null : 'idempotency-mismatch';
  const treasury = tables.accounts.find(({ kind }) => kind === 'treasury')!;
  // What was spent of lost rewards is spent of this one.
  const spent = tables.rewards
    .filter((reward) => isOfLost(reward) && reward.user_id === userId && reward.claimed === reward.amount)
    .reduce((sum, { claimed }) => sum + claimed, 0);
  return refusedForWant(tables, treasury.address, amount - Math.min(spent, amount));
}

/** The state that a call finds; null if there is no such request. */
function statusOf({ requests }: Tables, id: string): string | null {
  const request = requests.find((one) => one.id === id);
  if (!request) return null;
  const isOut = request.status === 'pending' && Date.parse(request.expires_at) <= Date.now();
  return isOut ? 'expired' : request.status;
}

export function refusedCancel(tables: Tables, { id }: KnownRequest): string | null {
  const status = statusOf(tables, id);
  if (status === null) return 'not-found';
  return status === 'pending' || status === 'cancelled' ? null : 'request-decided';
}

export function refusedDecline(tables: Tables, { id }: KnownRequest): string | null {
  const status = statusOf(tables, id);
  return status === 'pending' || status === 'declined' ? null : 'request-decided';
}

/** `wanted`: 0 for all that is left. */
export function refusedRefund(tables: Tables, { id, guest, amount }: KnownRequest, wanted: number): string | null {
  const status = statusOf(tables, id);
  if (status === null) return 'not-found';
  if (status !== 'completed') return 'not-refundable';
  const left = amount - refundedOf(tables, id);
  const given = wanted || Math.max(left, 1);
  return given > left ? 'refund-too-large' : refusedPayout(tables, guest, given);
}

export function refusedApproval(tables: Tables, { id, guest, amount }: KnownRequest): string | null {
  const status = statusOf(tables, id);
  if (['approved', 'submitted', 'completed'].includes(status!)) return null;
  return status === 'pending' ? refusedSpend(tables, guest, amount) : 'request-decided';
}

export function refusedAuto(tables: Tables, request: KnownRequest, byServer: boolean): string | null {
  const { id, guest, amount } = request;
  const status = statusOf(tables, id);
  if (status === null) return 'not-found';
  if (status !== 'pending') return refusedApproval(tables, request);
  if (!guest.app.autoApprove) return 'auto-approve-not-enabled';
  const mandate = tables.mandates.find(({ user_id, app_id }) => user_id === guest.userId && app_id === guest.app.id);
  if (!mandate) return 'auto-approve-not-granted';
  if (amount > mandate.max_per_transfer) return 'auto-approve-limit';
  if (mandate.spent_today + amount > mandate.max_per_day) return 'auto-approve-limit';
  const stop = refusedStop(tables, guest);
  if (stop) return stop;
  const key = cappedKey(tables, guest);
  if (byServer && key.approved_today + amount > key.approve_per_day!) return 'key-limit';
  return refusedSpend(tables, guest, amount);
}
