import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { asAddress } from '../../src/base/address.ts';
import type { RequestId } from '../../src/base/ids.ts';
import { Problem } from '../../src/base/problems.ts';
import { asQuarters } from '../../src/base/quarters.ts';
import { approveOrDecline } from '../../src/features/approvals/approve-or-decline.ts';
import { autoApprove } from '../../src/features/approvals/auto-approve.ts';
import { issueFormToken } from '../../src/features/approvals/page-access.ts';
import { payUser } from '../../src/features/payments/pay-user.ts';
import { refundRequest } from '../../src/features/payments/refund-request.ts';
import { cancelRequest } from '../../src/features/requests/cancel-request.ts';
import { createRequest } from '../../src/features/requests/create-request.ts';
import { idempotencyKey } from '../../src/idempotency/keys.ts';
import type { Caller } from '../../src/identity/callers.ts';
import { findTreasury } from '../../src/ledger/accounts.ts';
import { lookUpRequest } from '../../src/requests/requests.ts';
import type { Service } from '../../src/service/service.ts';
import { grantReward } from '../kit/service/operator-acts.ts';
import { asApp, asUser } from '../kit/unit/callers.ts';
import type { Model, ModelGuest } from '../kit/unit/model.ts';
import type { Tables } from './tables.ts';

/** Actions of callers. Numbers pick from what exists, so that any subset of a run is a run. */
export type Act =
  /** `byServer`: with the app's server API key. */
  | { readonly act: 'ask'; readonly guest: number; readonly amount: number; readonly byServer: boolean }
  | { readonly act: 'approve'; readonly request: number; readonly mandate: boolean }
  | { readonly act: 'decline'; readonly request: number }
  | { readonly act: 'auto'; readonly request: number; readonly byServer: boolean }
  | { readonly act: 'cancel'; readonly request: number }
  /** `amount` 0: all that is left. */
  | { readonly act: 'refund'; readonly request: number; readonly amount: number }
  /** `keyed`: with an Idempotency-Key. */
  | { readonly act: 'pay'; readonly guest: number; readonly amount: number; readonly keyed?: boolean }
  /** The same call with an Idempotency-Key once more. */
  | { readonly act: 'repeat'; readonly payment: number }
  /** Asks and approves, because most requests of a run are never approved otherwise. */
  | { readonly act: 'spend'; readonly guest: number; readonly amount: number }
  | { readonly act: 'grant'; readonly guest: number; readonly amount: number; readonly key: number };

/** The result of an act: the code of its refusal, or the payer whose quarters were held, if any. */
export type Done = { readonly refused: string | null; readonly payer: string | null };

/** Requests that may wait for one user: few enough for runs to reach the limit. */
export const MAX_PENDING = 8;

const DONE: Done = { refused: null, payer: null };

export function pick<T>(list: readonly T[], at: number): T | undefined {
  return list.length === 0 ? undefined : list[at % list.length];
}

/** Does what a caller does, and records the answer, which is a promise from then on. */
export async function perform(service: Service, model: Model, act: Act): Promise<Done> {
  try {
    return await answered(service, model, act);
  } catch (error) {
    if (error instanceof Problem) return { refused: error.code, payer: null };
    throw error;
  }
}

async function answered(service: Service, model: Model, act: Act): Promise<Done> {
  if (act.act === 'grant') {
    const guest = pick(model.guests, act.guest)!;
    const key = `key ${act.key}`;
    const reward = await grantReward(service, { user: guest.userId, amount: asQuarters(act.amount), key });
    model.grant(reward.id, { userId: guest.userId, amount: act.amount, key });
    return { refused: null, payer: reward.replayed ? null : (await findTreasury(service.db)).address };
  }
  if (act.act === 'spend') {
    await answered(service, model, { ...act, act: 'ask', byServer: false });
    const request = model.requests.findLastIndex(({ guest }) => guest === pick(model.guests, act.guest));
    return answered(service, model, { act: 'approve', request, mandate: false });
  }
  if (act.act === 'ask' || act.act === 'pay') {
    const guest = pick(model.guests, act.guest);
    if (!guest) return DONE;
    if (act.act === 'ask') {
      const input = { tokens: act.amount, appId: guest.app.id, userId: guest.userId };
      const { id } = await createRequest(service, callerFor(guest, act.byServer), input);
      model.requests.push({ id, guest, amount: act.amount });
      return DONE;
    }
    return payOut(service, model, guest, act.amount, act.keyed ? randomUUID() : null);
  }
  if (act.act === 'repeat') {
    const payment = pick(model.keyed, act.payment);
    return payment ? payOut(service, model, payment.guest, payment.amount, payment.key) : DONE;
  }
  const request = chosenRequest(model, act);
  if (!request) return DONE;
  const { guest, amount } = request;
  const requestId = request.id as RequestId;
  const approved = (): Done => {
    const isNew = !model.promised.has(requestId);
    model.give(requestId, 'approved');
    model.promise(requestId, { requestId, from: guest.address, to: guest.app.address, amount });
    return { refused: null, payer: isNew ? guest.address : null };
  };
  if (act.act === 'cancel') {
    await cancelRequest(service, asApp(guest.app.id), requestId, undefined);
    model.give(requestId, 'cancelled');
    return DONE;
  }
  if (act.act === 'refund') {
    const wanted = { requestId, ...(act.amount > 0 && { amount: act.amount }) };
    const refunded = await refundRequest(service, asApp(guest.app.id), wanted);
    const refund = (await lookUpRequest(service.db, refunded.requestId))!;
    assert.equal(refund.amount, refunded.amount);
    const promise = { requestId: refund.id, from: refund.from, to: refund.to, amount: Number(refund.amount) };
    assert.deepEqual([refund.from, refund.to], [guest.app.address, asAddress(guest.address)]);
    model.promise(refund.id, promise);
    return { refused: null, payer: refund.from };
  }
  if (act.act === 'auto') {
    const caller = callerFor(guest, act.byServer);
    const address = asAddress(guest.address);
    await autoApprove(service, caller, { requestId, clientId: guest.app.id, userId: guest.userId, address });
    return approved();
  }
  const outcome = await approveOrDecline(service, {
    requestId,
    formToken: issueFormToken(service, requestId, guest.pageToken),
    session: null,
    decision: act.act,
    nextTime: act.act === 'approve' && act.mandate ? 'allow' : null,
  });
  if (act.act === 'approve') {
    assert.equal(outcome.kind, 'approved');
    return approved();
  }
  assert.equal(outcome.kind, 'declined');
  model.give(requestId, 'declined');
  return DONE;
}

/** The app pays the guest. With a key that has paid, the answer is that of then. */
async function payOut(
  service: Service,
  model: Model,
  guest: ModelGuest,
  amount: number,
  key: string | null,
): Promise<Done> {
  const from = asAddress(guest.app.address);
  const before = model.keyed.find((payment) => payment.key === key);
  const idempotency =
    key === null ? undefined : idempotencyKey([guest.app.id, 'pay'], key, `${guest.userId} ${amount}`);
  const terms = { from, amount, user: guest.userId, idempotency };
  const { transferId, requestId } = await payUser(service, asApp(guest.app.id), terms);
  const isNew = !before?.transferId;
  if (before?.transferId) {
    assert.equal(transferId, before.transferId, 'a repeated call has the answer of the first');
    // Of a payment that was found on the chain, the first repetition makes the request again.
    if (before.requestId) assert.equal(requestId, before.requestId);
    else model.forget(transferId);
  }
  model.promise(requestId!, { requestId, from, to: guest.address, amount });
  if (key === null) return { refused: null, payer: from };
  const at = model.keyed.findIndex((payment) => payment.key === key);
  model.keyed.splice(at < 0 ? model.keyed.length : at, 1, { key, guest, amount, transferId, requestId });
  return { refused: null, payer: isNew ? from : null };
}

function callerFor({ userId, app }: ModelGuest, byServer: boolean): Caller {
  return byServer ? { ...asApp(app.id), keyHash: app.keyHash } : asUser(userId, app.id);
}

/** Refunds mostly choose an approved request, or hardly any run would refund anything. */
function chosenRequest(model: Model, { act, request }: Extract<Act, { readonly request: number }>) {
  const approved = act === 'refund' ? model.requests.filter(({ id }) => model.words.get(id) === 'approved') : [];
  return pick(approved, request) ?? pick(model.requests, request);
}

function refundedOf({ requests }: Tables, id: string): number {
  return requests
    .filter(({ refund_of, status }) => refund_of === id && status !== 'failed')
    .reduce((sum, { amount }) => sum + amount, 0);
}

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

export function isFrozen({ accounts }: Tables, of: { readonly address: string }): boolean {
  return accounts.find(({ address }) => address === of.address)!.frozen_at !== null;
}

/** How many requests of the guest's app wait for the guest's decision. */
export function pendingOf({ requests }: Tables, { user_id, app_id }: { user_id: string; app_id: string }): number {
  const wait = requests.filter(({ status, expires_at }) => status === 'pending' && Date.parse(expires_at) > Date.now());
  return wait.filter((request) => request.user_id === user_id && request.app_id === app_id).length;
}

function refusedAsking(tables: Tables, guest: ModelGuest | undefined, amount: number, byServer: boolean) {
  if (!guest) return null;
  if (isFrozen(tables, guest.app)) return 'app-suspended';
  if (byServer) {
    const key = cappedKey(tables, guest);
    if (key.asked_today + amount > key.ask_per_day!) return 'key-limit';
    // Became a full user without consent for any app.
    if (guest.full) return 'not-found';
  }
  return pendingOf(tables, { user_id: guest.userId, app_id: guest.app.id }) < MAX_PENDING ? null : 'limit-reached';
}

/** The expected answer to a single act, from the tables before it: the code of its refusal, or null. */
export function expectedRefusal(tables: Tables, model: Model, act: Act): string | null {
  const refusedPayment = (from: string, amount: number) => refusedForWant(tables, from, amount);
  const refusedPayout = ({ app }: ModelGuest, amount: number) =>
    isFrozen(tables, app) ? 'app-suspended' : refusedPayment(app.address, amount);
  const refusedStop = (guest: ModelGuest) =>
    isFrozen(tables, guest.app) ? 'app-suspended' : isFrozen(tables, guest) ? 'account-frozen' : null;
  const refusedSpend = (guest: ModelGuest, amount: number) => {
    const stop = refusedStop(guest);
    if (stop) return stop;
    const { userId, address } = guest;
    const reward = tables.rewards
      .filter(({ user_id }) => user_id === userId)
      .reduce((sum, { amount, claimed }) => sum + Math.max(amount - claimed, 0), 0);
    return refusedPayment(address, amount - Math.min(reward, amount));
  };
  if (act.act === 'ask') return refusedAsking(tables, pick(model.guests, act.guest), act.amount, act.byServer);
  if (act.act === 'spend') {
    const guest = pick(model.guests, act.guest)!;
    return refusedAsking(tables, guest, act.amount, false) ?? refusedSpend(guest, act.amount);
  }
  if (act.act === 'pay') {
    const guest = pick(model.guests, act.guest);
    return guest ? refusedPayout(guest, act.amount) : null;
  }
  if (act.act === 'repeat') {
    const payment = pick(model.keyed, act.payment);
    if (!payment) return null;
    if (!payment.transferId) return refusedPayout(payment.guest, payment.amount);
    const { status } = tables.transfers.find(({ id }) => id === payment.transferId)!;
    // It was found on the chain, which has taken it back, and is being paid again. Its request is made again after that.
    return payment.requestId || status === 'completed' ? null : 'outcome-unknown';
  }
  if (act.act === 'grant') {
    const { userId, full } = pick(model.guests, act.guest)!;
    if (!full) return 'invalid-input';
    const earlier = tables.rewards.find(({ source, key }) => source === 'operator' && key === `key ${act.key}`);
    if (earlier) return earlier.user_id === userId && earlier.amount === act.amount ? null : 'idempotency-mismatch';
    const treasury = tables.accounts.find(({ kind }) => kind === 'treasury')!;
    return refusedPayment(treasury.address, act.amount);
  }
  const chosen = chosenRequest(model, act);
  if (!chosen) return null;
  const { status: recorded, expires_at } = tables.requests.find(({ id }) => id === chosen.id)!;
  const status = recorded === 'pending' && Date.parse(expires_at) <= Date.now() ? 'expired' : recorded;
  if (act.act === 'cancel') return status === 'pending' || status === 'cancelled' ? null : 'request-decided';
  if (act.act === 'refund') {
    if (status !== 'completed') return 'not-refundable';
    const left = chosen.amount - refundedOf(tables, chosen.id);
    const wanted = act.amount || Math.max(left, 1);
    if (wanted > left) return 'refund-too-large';
    return refusedPayout(chosen.guest, wanted);
  }
  if (act.act === 'decline') return status === 'pending' || status === 'declined' ? null : 'request-decided';
  const { guest, amount } = chosen;
  if (['approved', 'submitted', 'completed'].includes(status)) return null;
  if (status !== 'pending') return 'request-decided';
  if (act.act === 'auto' && !guest.app.autoApprove) return 'auto-approve-not-enabled';
  if (act.act === 'auto') {
    const mandate = tables.mandates.find(({ user_id, app_id }) => user_id === guest.userId && app_id === guest.app.id);
    if (!mandate) return 'auto-approve-not-granted';
    if (amount > mandate.max_per_transfer) return 'auto-approve-limit';
    if (mandate.spent_today + amount > mandate.max_per_day) return 'auto-approve-limit';
    const stop = refusedStop(guest);
    if (stop) return stop;
    const key = cappedKey(tables, guest);
    if (act.byServer && key.approved_today + amount > key.approve_per_day!) return 'key-limit';
  }
  return refusedSpend(guest, amount);
}
