import assert from 'node:assert/strict';
import { type RequestId, transferIdOf } from '../../src/base/ids.ts';
import { Problem } from '../../src/base/problems.ts';
import type { Service } from '../../src/service/service.ts';
import type { KeyedCall, Made, Model } from '../kit/unit/model.ts';
import { type CallKind, KEYED_CALLS, today } from './keyed-calls.ts';
import type { Tables } from './tables.ts';

const kindOf = ({ kind }: KeyedCall) => KEYED_CALLS[kind as CallKind];

/** What the database knows of something that a call made: all, or only that it was paid. */
function knownOf(tables: Tables, made: Made): 'all' | 'paid' | 'nothing' {
  const { transferId, requestId, amount, userId, granted, cancelled } = made;
  if (granted)
    return tables.rewards.some(({ source, key }) => source === 'operator' && key === granted) ? 'all' : 'nothing';
  if (cancelled)
    return tables.requests.some(({ id, status }) => id === cancelled && status === 'cancelled') ? 'all' : 'nothing';
  if (userId) return tables.accounts.some(({ user_id }) => user_id === userId) ? 'all' : 'nothing';
  if (transferId) {
    const transfer = tables.transfers.find(({ id }) => id === transferId);
    if (!transfer) return 'nothing';
    return requestId && !transfer.request_id ? 'paid' : 'all';
  }
  if (tables.requests.some(({ id }) => id === requestId)) return 'all';
  // A refund that the chain has shown is named by its game's call.
  const isShown =
    amount !== undefined && tables.transfers.some(({ id }) => id === transferIdOf(requestId as RequestId));
  return isShown ? 'paid' : 'nothing';
}

/** Whether all apps are there that would call. */
export function canBeMade(model: Model, call: KeyedCall): boolean {
  return kindOf(call)
    .apps(call.input)
    .every(({ id }) => model.apps.some((app) => app.id === id));
}

/** These look first whether somebody may call, also when they have an earlier answer that only the chain shows. */
const LOOK_FIRST = new Set<string>(['guest', 'tokens', 'test quarters', 'refund in the console'] satisfies CallKind[]);

/** The expected answer to a repeated call: its refusal, or null. Undefined: the model does not foresee it. */
export function refusedRepeat(tables: Tables, model: Model, call: KeyedCall): string | null | undefined {
  if (!canBeMade(model, call)) return null;
  const kind = kindOf(call);
  const refusal = () => kind.refusal?.(tables, call.input, call.key);
  // Another user may have got a reward with that key since.
  if (call.kind === 'grant') return refusal();
  if (LOOK_FIRST.has(call.kind) && tables.accounts.some(({ frozen_at }) => frozen_at !== null)) return undefined;
  if (isKnownInPart(tables, call)) return undefined;
  const known = call.made.map((made) => made && knownOf(tables, made));
  if (known.every((one) => one === 'all')) return call.kind === 'approve' ? refusedKnownApproval(tables, call) : null;
  if (call.made.length > 1) return undefined;
  if (known[0] === 'nothing') return refusal();
  return call.kind === 'pay' || call.kind === 'pay an address' ? null : undefined;
}

/** The chain has only one of the two parts of a payment, so its request was made again with that amount. */
function isKnownInPart({ requests }: Tables, { made, input }: KeyedCall): boolean {
  const { amount } = input as { readonly amount?: number };
  return made.some((one) => requests.some(({ id, amount: known }) => id === one?.requestId && known < Number(amount)));
}

/** An approval whose key is lost is found by its request. If that has failed since, it is decided. */
function refusedKnownApproval({ requests }: Tables, { made }: KeyedCall): null | undefined {
  const request = requests.find(({ id }) => id === made[0]!.requestId);
  return request?.status === 'failed' ? undefined : null;
}

/** An approval of which no part was mined is paid anew. A reward that was there the first time may cover all of it now, or the other way. */
function isSplitAnew({ kind }: KeyedCall, earlier: Made, one: Made): boolean {
  if (kind !== 'approve' || earlier.requestId !== one.requestId || !one.requestId) return false;
  const parts = (['payment', 'reward'] as const).map(
    (part) => transferIdOf(one.requestId as RequestId, part) as string,
  );
  return parts.includes(`${earlier.transferId}`) && parts.includes(`${one.transferId}`);
}

/** A refund of the rest that was lost before it was paid refunds what is the rest now: others may be lost, too. */
async function isLostRest({ db }: Service, { kind, input, made }: KeyedCall): Promise<boolean> {
  if (!kind.startsWith('refund') || (input as { readonly amount?: number }).amount !== 0) return false;
  return (await db.query('SELECT FROM requests WHERE id = $1', [made[0]?.requestId ?? null])).length === 0;
}

/**
 * Makes a call once more. It may be refused if the database knows nothing of it. If it is answered, it is as the first time. Throws its
 * refusal.
 */
export async function repeatCall(
  service: Service,
  model: Model,
  call: KeyedCall,
): Promise<readonly (Made | null)[] | null> {
  if (!canBeMade(model, call)) return null;
  const kind = kindOf(call);
  const isAnew = await isLostRest(service, call);
  const made = await kind.send(service, call.input, call.key, model);
  assert.equal(made.length, call.made.length);
  for (const [place, one] of made.entries()) {
    if (!one) continue;
    const earlier = call.made[place];
    // What a key makes is of its day.
    if (earlier && call.day === today()) {
      const split = isSplitAnew(call, earlier, one) && { transferId: one.transferId };
      // The result of a file names no requests. A table does, once it is known whom they are of.
      const unnamed = call.kind === 'file' && one.requestId === null && { requestId: null };
      const expected = { ...earlier, ...split, ...unnamed, ...(isAnew && { amount: one.amount }) };
      assert.deepEqual(one, expected, `the answer to a repeated call: ${call.kind}, line ${place}`);
    }
    // The chain may have shown what it paid, and now it has its name.
    if (one.requestId) model.forget(transferIdOf(one.requestId as RequestId));
    kind.promise(model, call.input, one, place);
  }
  const now = call.made.map((earlier, place) => {
    const one = made[place];
    return earlier && one && (isAnew || isSplitAnew(call, earlier, one)) ? one : (earlier ?? one ?? null);
  });
  const at = model.keyed.findIndex(({ key }) => key === call.key);
  if (at >= 0) model.keyed[at] = { ...call, made: now };
  return made;
}

/** Repeats a call, and checks that it is refused exactly if it may be. Returns the refusal. */
export async function repeatAndCheck(
  service: Service,
  model: Model,
  call: KeyedCall,
  before: Tables,
): Promise<string | null> {
  const expected = refusedRepeat(before, model, call);
  try {
    const made = await repeatCall(service, model, call);
    for (const [place, earlier] of call.made.entries()) {
      if (made && earlier && knownOf(before, earlier) === 'all')
        assert.ok(made[place], `line ${place} of ${call.kind}`);
    }
    if (expected !== undefined) assert.equal(null, expected, `the answer to a repeated call: ${call.kind}`);
    return null;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    if (expected !== undefined)
      assert.equal(error.code, expected, `the refusal of a repeated call: ${call.kind}: ${error.message}`);
    return error.code;
  }
}
