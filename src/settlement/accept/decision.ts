import type { TransferId } from '../../base/ids.ts';
import type { Quarters } from '../../base/quarters.ts';
import { keyId, type StoredAnswer } from '../../idempotency/keys.ts';
import type { ItemOutcome } from './group-commit.ts';
import { type GroupKeys, keysOf, replay } from './idempotent-answers.ts';
import { type Accepted, type Decision, decideInstruction, type Instruction, type LockedRows } from './instruction.ts';

/** The result for an instruction in its group. */
export type GroupDecision =
  | Decision
  /** Answered from what an earlier transaction stored. */
  | { readonly kind: 'answered'; readonly outcome: ItemOutcome<Accepted> }
  /** Answered like the accepted instruction at this place of the group, which has the same idempotency key. */
  | { readonly kind: 'equal'; readonly place: number };

/** What an idempotency key belongs to after an instruction with it was accepted in this group. */
type Bound = Pick<StoredAnswer, 'bodyHash'> & { readonly place: number };

/**
 * Judges a group of instructions in order, each on what the earlier ones left. If an equal instruction was refused, the
 * next is judged by itself, because it may come with another credential or find another state. `done`: what an earlier
 * try of these instructions stored.
 */
export function decideGroup(
  orders: readonly Instruction[],
  { stored }: GroupKeys,
  rows: LockedRows,
  done: ReadonlyMap<TransferId, Accepted>,
  maxAmount: Quarters,
): GroupDecision[] {
  const boundHere = new Map<string, Bound>();
  return orders.map((order, place) => {
    const judgement =
      foundDone(order, done) ?? answeredBy(order, stored, boundHere) ?? decideInstruction(order, rows, maxAmount);
    if (judgement.kind === 'accepted' || judgement.kind === 'repeated') {
      for (const key of keysOf(order)) {
        const id = keyId(key);
        if (!boundHere.has(id)) boundHere.set(id, { bodyHash: key.bodyHash, place });
      }
    }
    return judgement;
  });
}

function foundDone({ transferId }: Instruction, done: ReadonlyMap<TransferId, Accepted>): GroupDecision | null {
  const result = done.get(transferId);
  return result ? { kind: 'answered', outcome: { ok: true, result } } : null;
}

/** The answer that the instruction's keys give; null if it is still to be decided. */
function answeredBy(
  { idempotency, callKey }: Instruction,
  stored: GroupKeys['stored'],
  boundHere: ReadonlyMap<string, Bound>,
): GroupDecision | null {
  if (callKey) {
    const owner = stored.get(keyId(callKey)) ?? boundHere.get(keyId(callKey));
    const outcome = owner && replay({ bodyHash: owner.bodyHash, answer: {} }, callKey);
    if (outcome?.ok === false) return { kind: 'answered', outcome };
  }
  if (!idempotency) return null;
  const earlier = stored.get(keyId(idempotency));
  if (earlier) return { kind: 'answered', outcome: replay(earlier, idempotency) };
  const equal = boundHere.get(keyId(idempotency));
  if (!equal) return null;
  const outcome = replay({ bodyHash: equal.bodyHash, answer: {} }, idempotency);
  return outcome.ok ? { kind: 'equal', place: equal.place } : { kind: 'answered', outcome };
}
