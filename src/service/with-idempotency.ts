import { Problem } from '../base/problems.ts';
import type { Vault } from '../custody/vault.ts';
import { CommitUnknown, gaveUpWaiting, lostToOthers, type Tx } from '../db/database.ts';
import type { ItemOutcome } from '../db/group-commit.ts';
import {
  type IdempotencyKey,
  keyId,
  releaseKeys,
  type StoredAnswer,
  storeAnswers,
  takeKeys,
} from '../idempotency/keys.ts';
import type { Service } from './service.ts';
import { outcomeUnknown } from './unknown-outcome.ts';

/** What the database returns as it was stored: no dates, no bigints. */
type Json = string | number | boolean | null | readonly Json[] | { readonly [field: string]: Json };
export type Answer = { readonly [field: string]: Json };

type Options = {
  /** The answer holds secrets. It is stored so that only a caller with the same Idempotency-Key can have it opened. */
  readonly sealed?: boolean;
};

/**
 * Runs `effect` in one transaction and records its answer under the caller's key, if there is one. A call with the same
 * key waits for the first one's COMMIT and gets its answer, marked `replayed`. A refusal is not recorded.
 *
 * `effect` must use its own transaction only, because equal calls hold the pool's connections while they wait for it.
 * It may run again after a deadlock, so it has no effect outside the database.
 *
 * Throws `idempotency-mismatch`, `outcome-unknown`, and what `effect` throws.
 */
export async function withIdempotency<T extends Answer>(
  { db, vault }: Pick<Service, 'db' | 'vault'>,
  key: IdempotencyKey | undefined,
  effect: (tx: Tx) => Promise<T>,
  { sealed = false }: Options = {},
): Promise<T & { readonly replayed?: true }> {
  try {
    return await db.transaction(async (tx) => {
      if (!key) return effect(tx);
      const earlier = (await takeOrWait(tx, key)).get(keyId(key));
      if (earlier) return replayed<T>(vault, key, earlier);
      const answer = await effect(tx);
      await storeAnswers(tx, [[key, sealed ? sealAnswer(vault, key, answer) : answer]]);
      return answer;
    });
  } catch (error) {
    throw error instanceof CommitUnknown ? outcomeUnknown() : error;
  }
}

/**
 * The same for a group of calls in the caller's transaction. Of the calls with one key one is accepted, and the others get its answer.
 * If one is refused, the next is decided by itself. `effect` gets calls that are new, and resolves to an outcome for each, in order.
 */
export async function answerGroup<Call extends { readonly key: IdempotencyKey | undefined }, T extends Answer>(
  tx: Tx,
  vault: Vault,
  calls: readonly Call[],
  effect: (fresh: readonly Call[]) => Promise<readonly ItemOutcome<T>[]>,
  { sealed = false }: Options = {},
): Promise<ItemOutcome<T & { readonly replayed?: true }>[]> {
  const keys = new Map(calls.flatMap(({ key }) => (key ? [[keyId(key), key]] : [])));
  const answers = await takeKeys(tx, [...keys.values()]);
  const outcomes = new Map<Call, ItemOutcome<T & { readonly replayed?: true }>>();
  const accepted: [IdempotencyKey, T][] = [];
  for (let waiting = calls; waiting.length > 0; waiting = waiting.filter((call) => !outcomes.has(call))) {
    const asked = new Set<string>();
    const fresh: Call[] = [];
    for (const call of waiting) {
      const id = call.key && keyId(call.key);
      const stored = id && answers.get(id);
      if (call.key && stored) outcomes.set(call, replayedOutcome<T>(vault, call.key, stored));
      else if (id === undefined || !asked.has(id)) fresh.push(call);
      if (id !== undefined) asked.add(id);
    }
    const effects = fresh.length === 0 ? [] : await effect(fresh);
    for (const [i, call] of fresh.entries()) {
      const outcome = effects[i]!;
      outcomes.set(call, outcome);
      if (!call.key || !outcome.ok) continue;
      answers.set(keyId(call.key), { bodyHash: call.key.bodyHash, answer: outcome.result });
      accepted.push([call.key, outcome.result]);
    }
  }
  const refused = [...keys].flatMap(([id, key]) => (answers.has(id) ? [] : [key]));
  await Promise.all([
    storeAnswers(
      tx,
      accepted.map(([key, answer]) => [key, sealed ? sealAnswer(vault, key, answer) : answer]),
    ),
    releaseKeys(tx, refused),
  ]);
  return calls.map((call) => outcomes.get(call)!);
}

function replayedOutcome<T extends Answer>(
  vault: Vault,
  key: IdempotencyKey,
  stored: StoredAnswer,
): ItemOutcome<T & { readonly replayed: true }> {
  try {
    return { ok: true, result: replayed<T>(vault, key, stored) };
  } catch (error) {
    return { ok: false, error };
  }
}

/**
 * What a call in a group throws for the group's error: an equal call in another process that it waited for may be committing right now.
 */
export function errorOfGroup(error: unknown, key: IdempotencyKey | undefined): unknown {
  return error instanceof CommitUnknown || (key && lostToOthers(error)) ? outcomeUnknown() : error;
}

/** An equal call that holds the key for too long may still be committed. Throws `outcome-unknown`. */
function takeOrWait(tx: Tx, key: IdempotencyKey): Promise<Map<string, StoredAnswer>> {
  return takeKeys(tx, [key]).catch((error: unknown) => {
    throw gaveUpWaiting(error) ? outcomeUnknown() : error;
  });
}

/** The stored answer for a call with this key. Throws `idempotency-mismatch` if the call has another body. */
export function answerFor(key: IdempotencyKey, { bodyHash, answer }: StoredAnswer): object {
  if (bodyHash.equals(key.bodyHash)) return answer;
  throw new Problem('idempotency-mismatch', 'This Idempotency-Key was used before, with another body.');
}

/** The stored answer, opened for a call with this key. Throws `idempotency-mismatch` if the call has another body. */
export function replayed<T extends Answer>(
  vault: Vault,
  key: IdempotencyKey,
  stored: StoredAnswer,
): T & { readonly replayed: true } {
  return { ...(open(vault, key, answerFor(key, stored)) as T), replayed: true };
}

type SealedAnswer = { readonly sealedAnswer: string };

/** An answer with secrets as it is stored: only a caller with the same key can have it opened. */
function sealAnswer(vault: Vault, key: IdempotencyKey, answer: Answer): SealedAnswer {
  const sealed = vault.seal(Buffer.from(JSON.stringify(answer)), contextOf(key), key.sealingSecret);
  return { sealedAnswer: sealed.toString('base64') };
}

function open(vault: Vault, key: IdempotencyKey, answer: object): object {
  if (!('sealedAnswer' in answer)) return answer;
  const sealed = Buffer.from((answer as SealedAnswer).sealedAnswer, 'base64');
  return JSON.parse(vault.unseal(sealed, contextOf(key), key.sealingSecret).toString()) as object;
}

function contextOf(key: IdempotencyKey): string {
  return `answer ${keyId(key)}`;
}
