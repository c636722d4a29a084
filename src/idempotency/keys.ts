import { createHash, createHmac } from 'node:crypto';
import type { Query, Tx } from '../db/database.ts';

/** A caller's Idempotency-Key. Hashes are SHA-256. */
export type IdempotencyKey = {
  /** Of credential owner, route and key. */
  readonly hash: Buffer;
  /** Of the body it came with. */
  readonly bodyHash: Buffer;
  /** Made of the key itself, and stored nowhere: who has the database does not have it. */
  readonly sealingSecret: Buffer;
};

/** `scope`: whose key it is, and for what. `body`: two calls with the same are equal. */
export function idempotencyKey(scope: readonly string[], key: string, body: string): IdempotencyKey {
  const sha256 = (text: string) => createHash('sha256').update(text).digest();
  return {
    hash: sha256(JSON.stringify([...scope, key])),
    bodyHash: sha256(body),
    // Not to be had from the stored hash but by trying keys: one that can be guessed seals nothing.
    sealingSecret: createHmac('sha256', key).update('seals the answer').digest(),
  };
}

/** The key of one part of a call that is decided in parts. */
export function partKey({ hash, bodyHash, sealingSecret }: IdempotencyKey, part: number): IdempotencyKey {
  return { hash: createHash('sha256').update(hash).update(`part ${part}`).digest(), bodyHash, sealingSecret };
}

/** What an earlier call with the same key left. */
export type StoredAnswer = { readonly bodyHash: Buffer; readonly answer: object };

type KeyRow = { hash: Buffer; body_hash: Buffer; answer: object };

/** How keys are told apart in maps. */
export const keyId = (key: IdempotencyKey): string => key.hash.toString('hex');

/**
 * Takes keys, each given once, for answers that this transaction will write: the first locks in the printed order. Of equal
 * calls in several processes one takes the key, and the others wait here for its COMMIT.
 *
 * Returns what is stored under those that were taken before, by {@link keyId}.
 */
export async function takeKeys({ query }: Tx, keys: readonly IdempotencyKey[]): Promise<Map<string, StoredAnswer>> {
  if (keys.length === 0) return new Map();
  const sorted = [...keys].sort((a, b) => Buffer.compare(a.hash, b.hash));
  const taken = await query<{ hash: Buffer }>(
    `INSERT INTO idempotency_keys (hash, body_hash, answer)
     SELECT hash, body_hash, '{}' FROM unnest($1::bytea[], $2::bytea[]) AS key (hash, body_hash)
     ON CONFLICT DO NOTHING RETURNING hash`,
    [sorted.map((key) => key.hash), sorted.map((key) => key.bodyHash)],
  );
  const ours = new Set(taken.map(({ hash }) => hash.toString('hex')));
  return readAnswers(
    { query },
    sorted.filter((key) => !ours.has(keyId(key))),
  );
}

/** What is stored under these keys, by {@link keyId}. */
export async function readAnswers(
  { query }: { query: Query },
  keys: readonly IdempotencyKey[],
): Promise<Map<string, StoredAnswer>> {
  if (keys.length === 0) return new Map();
  const rows = await query<KeyRow>(
    'SELECT hash, body_hash, answer FROM idempotency_keys WHERE hash = ANY($1::bytea[])',
    [keys.map((key) => key.hash)],
  );
  return new Map(rows.map((row) => [row.hash.toString('hex'), { bodyHash: row.body_hash, answer: row.answer }]));
}

/** Writes the answers to keys taken in this transaction, with the bodies they are for. */
export async function storeAnswers(
  { query }: Tx,
  answers: readonly (readonly [IdempotencyKey, object])[],
): Promise<void> {
  if (answers.length === 0) return;
  await query(
    `UPDATE idempotency_keys SET answer = given.answer, body_hash = given.body_hash
       FROM unnest($1::bytea[], $2::bytea[], $3::jsonb[]) AS given (hash, body_hash, answer)
      WHERE idempotency_keys.hash = given.hash`,
    [
      answers.map(([key]) => key.hash),
      answers.map(([key]) => key.bodyHash),
      answers.map(([, answer]) => JSON.stringify(answer)),
    ],
  );
}

/** Lets keys taken in this transaction go: a refusal is not recorded, the caller may try again. */
export async function releaseKeys({ query }: Tx, keys: readonly IdempotencyKey[]): Promise<void> {
  if (keys.length === 0) return;
  await query('DELETE FROM idempotency_keys WHERE hash = ANY($1::bytea[])', [keys.map((key) => key.hash)]);
}

/** Forgets answers older than 24 hours, at most `most`; returns how many. */
export async function forgetOldKeys({ query }: { query: Query }, most: number): Promise<number> {
  const rows = await query(
    `DELETE FROM idempotency_keys WHERE hash IN (
       SELECT hash FROM idempotency_keys WHERE created_at < now() - interval '24 hours'
        ORDER BY created_at LIMIT $1 FOR UPDATE SKIP LOCKED)
     RETURNING 1`,
    [most],
  );
  return rows.length;
}
