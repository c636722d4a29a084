import type { TransferId } from '../../base/ids.ts';
import type { Database, Tx } from '../../db/database.ts';
import {
  type IdempotencyKey,
  keyId,
  readAnswers,
  releaseKeys,
  type StoredAnswer,
  storeAnswers,
  takeKeys,
} from '../../idempotency/keys.ts';
import type { Outcome } from '../../transfers/group-commit.ts';
import { answerFor } from './once.ts';
import type { Decided, Order } from './orders.ts';

type Results = readonly Outcome<Decided>[];

/** What the idempotency keys of a group say. */
export type OrderKeys = {
  /** Orders that are not decided but answered: by an earlier call, or by the first of equal ones in this group. */
  readonly answers: ReadonlyMap<TransferId, (results: Results) => Outcome<Decided>>;
  /** Keys taken by this transaction, with the place of the order that took each. */
  readonly taken: readonly (readonly [IdempotencyKey, number])[];
};

/** The answer of an earlier call with the same key, before anything else is looked at; null where there was none. */
export async function earlierAnswer(db: Database, key: IdempotencyKey | undefined): Promise<Decided | null> {
  const stored = key && (await readAnswers(db, [key])).get(keyId(key));
  return stored ? replayed(stored, key) : null;
}

/** The same for several keys, in order. */
export async function earlierAnswers(
  db: Database,
  keys: readonly IdempotencyKey[],
): Promise<(Outcome<Decided> | undefined)[]> {
  const stored = await readAnswers(db, keys);
  return keys.map((key) => {
    const answer = stored.get(keyId(key));
    return answer && replay(answer, key);
  });
}

/** Takes the group's keys, each once, for the first order that carries it. */
export async function takeOrderKeys(tx: Tx, orders: readonly Order[]): Promise<OrderKeys> {
  const leaders = new Map<string, { key: IdempotencyKey; place: number }>();
  for (const [place, { idempotency: key }] of orders.entries()) {
    if (key && !leaders.has(keyId(key))) leaders.set(keyId(key), { key, place });
  }
  const stored = await takeKeys(
    tx,
    [...leaders.values()].map(({ key }) => key),
  );

  const answers = new Map<TransferId, (results: Results) => Outcome<Decided>>();
  for (const [place, { transferId, idempotency: key }] of orders.entries()) {
    if (!key) continue;
    const earlier = stored.get(keyId(key));
    const leader = leaders.get(keyId(key))!;
    if (earlier) answers.set(transferId, () => replay(earlier, key));
    else if (place !== leader.place) {
      answers.set(transferId, (results) => {
        const outcome = results[leader.place]!;
        // Another body under the same key is refused for that, whatever became of the first.
        const told = replay({ bodyHash: leader.key.bodyHash, answer: outcome.ok ? outcome.result : {} }, key);
        return outcome.ok || !told.ok ? told : outcome;
      });
    }
  }
  return {
    answers,
    taken: [...leaders].filter(([id]) => !stored.has(id)).map(([, { key, place }]) => [key, place]),
  };
}

/** Records what was decided, and lets go of the keys of what was refused. */
export async function storeOrderAnswers(tx: Tx, keys: OrderKeys, results: Results): Promise<void> {
  const decided: [IdempotencyKey, Decided][] = [];
  const refused: IdempotencyKey[] = [];
  for (const [key, place] of keys.taken) {
    const outcome = results[place];
    if (outcome?.ok) decided.push([key, outcome.result]);
    else refused.push(key);
  }
  await storeAnswers(tx, decided);
  await releaseKeys(tx, refused);
}

function replayed(stored: StoredAnswer, key: IdempotencyKey): Decided {
  return { ...(answerFor(key, stored) as Decided), replayed: true };
}

function replay(stored: StoredAnswer, key: IdempotencyKey): Outcome<Decided> {
  try {
    return { ok: true, result: replayed(stored, key) };
  } catch (error) {
    return { ok: false, error };
  }
}
