import { Problem } from '../../base/problems.ts';
import type { Lookups, Tx } from '../../db/database.ts';
import type { ItemOutcome } from '../../db/group-commit.ts';
import {
  type IdempotencyKey,
  keyId,
  lookUpAnswer,
  releaseKeys,
  type StoredAnswer,
  storeAnswers,
} from '../../idempotency/keys.ts';
import type { Accepted, Instruction } from '../../service/instruction.ts';
import { answerFor } from '../../service/with-idempotency.ts';
import type { GroupKeys } from './lock-set.ts';

/** The answer of an earlier call with the same key, read before anything else; null if there was none. */
export async function earlierAnswer(db: Lookups, key: IdempotencyKey): Promise<Accepted | null> {
  const stored = await lookUpAnswer(db, key);
  return stored ? replayed(stored, key) : null;
}

/** The answers for several keys, in order. */
export async function earlierAnswers(
  db: Lookups,
  keys: readonly IdempotencyKey[],
): Promise<(ItemOutcome<Accepted> | undefined)[]> {
  const stored = await Promise.all(keys.map((key) => lookUpAnswer(db, key)));
  return stored.map((answer, i) => (answer ? replay(answer, keys[i]!) : undefined));
}

/**
 * Records the answers to accepted instructions under the keys that were taken, and releases the other keys: a refusal
 * is not recorded. Keys of whole calls get no answer of their own.
 */
export async function storeGroupAnswers(
  tx: Tx,
  { taken }: GroupKeys,
  accepted: readonly (readonly [Instruction, Accepted])[],
): Promise<void> {
  const answers = new Map<string, [IdempotencyKey, object]>();
  for (const [{ idempotency, callKey }, answer] of accepted) {
    if (idempotency && taken.has(keyId(idempotency))) answers.set(keyId(idempotency), [idempotency, answer]);
    if (callKey && taken.has(keyId(callKey))) answers.set(keyId(callKey), [callKey, {}]);
  }
  const unused = [...taken].flatMap(([id, key]) => (answers.has(id) ? [] : [key]));
  await Promise.all([storeAnswers(tx, [...answers.values()]), releaseKeys(tx, unused)]);
}

/** The answer to a call whose key is used already: the stored answer, or `idempotency-mismatch` for another body. */
export function replay(stored: StoredAnswer, key: IdempotencyKey): ItemOutcome<Accepted> {
  try {
    return { ok: true, result: replayed(stored, key) };
  } catch (error) {
    if (error instanceof Problem) return { ok: false, error };
    throw error;
  }
}

function replayed(stored: StoredAnswer, key: IdempotencyKey): Accepted {
  return { ...(answerFor(key, stored) as Accepted), replayed: true };
}
