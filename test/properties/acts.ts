import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { asAddress } from '../../src/base/address.ts';
import { newRequestId, type RequestId } from '../../src/base/ids.ts';
import { Problem } from '../../src/base/problems.ts';
import { approveOrDecline } from '../../src/features/approvals/approve-or-decline.ts';
import { autoApprove } from '../../src/features/approvals/auto-approve.ts';
import { issueFormToken } from '../../src/features/approvals/page-access.ts';
import { payUser } from '../../src/features/payments/pay-user.ts';
import { refundRequest } from '../../src/features/payments/refund-request.ts';
import { cancelRequest } from '../../src/features/requests/cancel-request.ts';
import { createRequest } from '../../src/features/requests/create-request.ts';
import { lookUpRequest } from '../../src/requests/requests.ts';
import type { Service } from '../../src/service/service.ts';
import { asApp } from '../kit/unit/callers.ts';
import type { KeyedCall, Model, ModelGuest } from '../kit/unit/model.ts';
import { type CallKind, callerFor, KEYED_CALLS, today } from './keyed-calls.ts';
import {
  type KnownRequest,
  refusedApproval,
  refusedAsking,
  refusedAuto,
  refusedCancel,
  refusedDecline,
  refusedGrant,
  refusedPayout,
  refusedRefund,
  refusedSpend,
} from './refusals.ts';
import { refusedRepeat, repeatCall } from './repeats.ts';
import type { Tables } from './tables.ts';

/** `keyed`: with an Idempotency-Key. */
type Keyed = { readonly keyed?: boolean };

/** Actions of callers. Numbers pick from what exists, so that any subset of a run is a run. */
export type Act =
  /** `byServer`: with the app's server API key. */
  | (Keyed & { readonly act: 'ask'; readonly guest: number; readonly amount: number; readonly byServer: boolean })
  | { readonly act: 'approve'; readonly request: number; readonly mandate: boolean }
  | { readonly act: 'decline'; readonly request: number }
  | (Keyed & { readonly act: 'auto'; readonly request: number; readonly byServer: boolean })
  | (Keyed & { readonly act: 'cancel'; readonly request: number })
  /** `amount` 0: all that is left. */
  | (Keyed & { readonly act: 'refund'; readonly request: number; readonly amount: number })
  /** `byAddress`: the call names the account, not the user. */
  | (Keyed & {
      readonly act: 'pay';
      readonly guest: number;
      readonly amount: number;
      readonly byAddress?: boolean;
    })
  /** The same call with a key once more. */
  | { readonly act: 'repeat'; readonly payment: number }
  /** Asks and approves, because most requests of a run are never approved otherwise. */
  | (Keyed & { readonly act: 'spend'; readonly guest: number; readonly amount: number })
  | { readonly act: 'grant'; readonly guest: number; readonly amount: number; readonly key: number }
  | KeyedAct;

/** Calls that always have a key, or are forms. */
export type KeyedAct =
  | { readonly act: 'guest with a key'; readonly app: number }
  | { readonly act: 'tokens'; readonly guest: number }
  | { readonly act: 'pay many'; readonly app: number; readonly lines: readonly Line[] }
  | { readonly act: 'issue with a key'; readonly to: number; readonly amount: number; readonly byForm: boolean }
  | { readonly act: 'test quarters'; readonly app: number }
  | { readonly act: 'refund in the console'; readonly request: number; readonly amount: number }
  | { readonly act: 'withdraw'; readonly guest: number; readonly amount: number }
  /** `app`: who pays; null: the treasury. */
  | { readonly act: 'pay a file'; readonly app: number | null; readonly rows: readonly Line[] };

export type Line = { readonly guest: number; readonly amount: number };

/** The result of an act: the code of its refusal, or the payer whose quarters were held, if any. */
export type Done = { readonly refused: string | null; readonly payer: string | null };

const DONE: Done = { refused: null, payer: null };
/** Of withdrawals: nobody here. */
const OUTSIDE = asAddress(`0x${'cd'.repeat(20)}`);
/** The apps in whose teams the developer is. */
const APPS_OF_DEVELOPER = 2;

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
  if (act.act === 'spend') {
    await answered(service, model, { ...act, act: 'ask', byServer: false });
    const request = model.requests.findLastIndex(({ guest }) => guest.userId === pick(model.guests, act.guest)!.userId);
    return answered(service, model, { act: 'approve', request, mandate: false });
  }
  if (act.act === 'repeat') {
    const call = pick(model.keyed, act.payment);
    if (call) await repeatCall(service, model, call);
    return DONE;
  }
  const keyed = keyedCallOf(model, act);
  if (keyed) return callFirst(service, model, keyed);
  if (act.act === 'ask' || act.act === 'pay') {
    const guest = pick(model.guests, act.guest);
    if (!guest) return DONE;
    if (act.act === 'ask') {
      const input = { tokens: act.amount, appId: guest.app.id, userId: guest.userId };
      const { id } = await createRequest(service, callerFor(guest, act.byServer), input);
      model.requests.push({ id, guest, amount: act.amount });
      return DONE;
    }
    const from = asAddress(guest.app.address);
    const { requestId } = await payUser(service, asApp(guest.app.id), { from, amount: act.amount, user: guest.userId });
    model.promise(requestId!, { requestId, from, to: guest.address, amount: act.amount });
    return { refused: null, payer: from };
  }
  const hasNothingToDo = !('request' in act) || act.act === 'refund in the console';
  return hasNothingToDo ? DONE : decided(service, model, act);
}

type Decision = Extract<Act, { readonly act: 'approve' | 'decline' | 'auto' | 'cancel' | 'refund' }>;

async function decided(service: Service, model: Model, act: Decision): Promise<Done> {
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
  const { pageToken } = model.guests.find(({ userId }) => userId === guest.userId) ?? guest;
  const outcome = await approveOrDecline(service, {
    requestId,
    formToken: issueFormToken(service, requestId, pageToken),
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

type NewCall = Omit<KeyedCall, 'made' | 'day'>;

/** The call that an act with a key is; null if it has none, or there is nothing to do it with. */
function keyedCallOf(model: Model, act: Act): NewCall | null {
  const call = (kind: CallKind, input: object, key: string = randomUUID()): NewCall => ({ kind, key, input });
  const guest = 'guest' in act ? pick(model.guests, act.guest) : undefined;
  const lines = (all: readonly Line[]) =>
    all.flatMap(({ guest: at, amount }) => {
      const one = pick(model.guests, at);
      return one ? [{ guest: one, amount }] : [];
    });
  switch (act.act) {
    case 'grant':
      return call('grant', { guest, amount: act.amount }, `key ${act.key}`);
    case 'ask':
      return act.keyed && guest ? call('ask', { guest, amount: act.amount, byServer: act.byServer }) : null;
    case 'pay':
      return act.keyed && guest ? call(act.byAddress ? 'pay an address' : 'pay', { guest, amount: act.amount }) : null;
    case 'tokens':
      return guest && !guest.full ? call('tokens', { guest }) : null;
    case 'guest with a key':
      return call('guest', { app: pick(model.apps, act.app) });
    case 'pay many':
      return call('pay many', { app: pick(model.apps, act.app), lines: lines(act.lines) });
    case 'issue with a key': {
      const to = pick([...model.apps, ...model.guests], act.to)!.address;
      return call(act.byForm ? 'issue by a form' : 'issue', { to, quarters: act.amount });
    }
    case 'test quarters':
      return call('test quarters', { app: pick(model.apps.slice(0, APPS_OF_DEVELOPER), act.app) });
    case 'withdraw': {
      const person = pick(
        model.guests.filter((one) => one.person),
        act.guest,
      );
      return person ? call('withdraw', { guest: person, amount: act.amount, to: OUTSIDE }, newRequestId()) : null;
    }
    case 'pay a file': {
      const rows = lines(act.rows).map(({ guest: { userId, address }, amount }) => ({ to: userId, address, amount }));
      return call('file', { app: act.app === null ? null : pick(model.apps, act.app), rows });
    }
    case 'auto':
    case 'cancel':
    case 'refund':
    case 'refund in the console':
      return keyedDecision(model, act, call);
    default:
      return null;
  }
}

function keyedDecision(
  model: Model,
  act: Extract<Act, { readonly act: 'auto' | 'cancel' | 'refund' | 'refund in the console' }>,
  call: (kind: CallKind, input: object) => NewCall,
): NewCall | null {
  const request = chosenRequest(model, act);
  if (!request) return null;
  if (act.act === 'refund in the console') {
    const isTheirs = model.apps.slice(0, APPS_OF_DEVELOPER).some(({ id }) => id === request.guest.app.id);
    return isTheirs ? call('refund in the console', { request, amount: act.amount }) : null;
  }
  if (!act.keyed) return null;
  if (act.act === 'cancel') return call('cancel', { request });
  if (act.act === 'refund') return call('refund', { request, amount: act.amount });
  return call('approve', { request, byServer: act.byServer });
}

/** Makes a call for the first time, and remembers it if it was answered. A refusal leaves its key free. */
async function callFirst(service: Service, model: Model, call: NewCall): Promise<Done> {
  const day = today();
  const kind = KEYED_CALLS[call.kind as CallKind];
  const made = await kind.send(service, call.input, call.key, model);
  for (const [place, one] of made.entries()) if (one) kind.promise(model, call.input, one, place);
  // A grant's key may have been used before.
  if (!model.keyed.some(({ key }) => key === call.key)) model.keyed.push({ ...call, day, made });
  const { guest } = call.input as { readonly guest?: ModelGuest };
  const isPayout = call.kind === 'pay' || call.kind === 'pay an address';
  return { refused: null, payer: isPayout ? guest!.app.address : null };
}

/** Refunds mostly choose an approved request, or hardly any run would refund anything. */
function chosenRequest(
  model: Model,
  { act, request }: Extract<Act, { readonly request: number }>,
): KnownRequest | undefined {
  const isRefund = act === 'refund' || act === 'refund in the console';
  const approved = isRefund ? model.requests.filter(({ id }) => model.words.get(id) === 'approved') : [];
  return pick(approved, request) ?? pick(model.requests, request);
}

/**
 * The expected answer to a single act, from the tables before it: the code of its refusal, or null. Undefined: the model does not foresee
 * whether it is refused.
 */
export function expectedRefusal(tables: Tables, model: Model, act: Act): string | null | undefined {
  const guest = 'guest' in act ? pick(model.guests, act.guest) : undefined;
  switch (act.act) {
    case 'ask':
      return guest ? refusedAsking(tables, guest, act.amount, act.byServer) : null;
    case 'spend':
      return refusedAsking(tables, guest!, act.amount, false) ?? refusedSpend(tables, guest!, act.amount);
    case 'pay':
      return guest ? refusedPayout(tables, guest, act.amount) : null;
    case 'grant':
      return refusedGrant(tables, guest!, act.amount, `key ${act.key}`);
    case 'repeat': {
      const call = pick(model.keyed, act.payment);
      return call ? refusedRepeat(tables, model, call) : null;
    }
    case 'approve':
    case 'decline':
    case 'auto':
    case 'cancel':
    case 'refund': {
      const chosen = chosenRequest(model, act);
      if (!chosen) return null;
      if (act.act === 'cancel') return refusedCancel(tables, chosen);
      if (act.act === 'refund') return refusedRefund(tables, chosen, act.amount);
      if (act.act === 'decline') return refusedDecline(tables, chosen);
      return act.act === 'auto' ? refusedAuto(tables, chosen, act.byServer) : refusedApproval(tables, chosen);
    }
    default:
      return undefined;
  }
}
