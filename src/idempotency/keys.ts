import { createHash, createHmac, hash } from 'node:crypto';
import { CONFIRMED } from '../db/commits.ts';
import { byteaText, jsonRows, type Lookups, type Queries, type Tx } from '../db/database.ts';
import { keepUntil } from '../db/keep-until.ts';

/** A caller's Idempotency-Key. Hashes are SHA-256. */
export type IdempotencyKey = {
  /** Of the credential's owner, the route and the key. */
  readonly hash: Buffer;
  /** Of the request's body. */
  readonly bodyHash: Buffer;
  /** Derived from the key itself and stored nowhere, so the database alone does not open what it seals. */
  readonly sealingSecret: Buffer;
  /** Its owner never uses it for anything else, not even when its answer is forgotten. */
  readonly neverEnds?: true;
};

/** `scope`: whose key it is, and for which route. `body`: two calls with the same body are equal. */
export function idempotencyKey(scope: readonly string[], key: string, body: string): IdempotencyKey {
  const sha256 = (text: string) => hash('sha256', text, 'buffer');
  return {
    hash: sha256(JSON.stringify([...scope, key])),
    bodyHash: sha256(body),
    // The stored hash reveals it only to someone who guesses the key. A key that can be guessed protects nothing.
    sealingSecret: createHmac('sha256', key).update('seals the answer').digest(),
  };
}

/** A key that the service makes of what it names, and that means the same for ever. */
export function lastingKey(scope: readonly string[], key: string, body: string): IdempotencyKey {
  return { ...idempotencyKey(scope, key, body), neverEnds: true };
}

/** The key of one part of a call that is accepted in parts. */
export function partKey({ hash, bodyHash, sealingSecret }: IdempotencyKey, part: number): IdempotencyKey {
  return { hash: createHash('sha256').update(hash).update(`part ${part}`).digest(), bodyHash, sealingSecret };
}

/** The stored answer to an earlier call with the same key. */
export type StoredAnswer = { readonly bodyHash: Buffer; readonly answer: object };

/** Identifies a key in maps. */
export const keyId = (key: IdempotencyKey): string => key.hash.toString('hex');

/**
 * Takes distinct keys for answers that this transaction will write: the first locks in the documented order. Of equal calls in several
 * processes one takes the key, and the others wait here for its COMMIT.
 *
 * Returns the stored answers of keys that were taken before, by {@link keyId}.
 */
export async function takeKeys({ query }: Tx, keys: readonly IdempotencyKey[]): Promise<Map<string, StoredAnswer>> {
  if (keys.length === 0) return new Map();
  const sorted = [...keys].sort((a, b) => Buffer.compare(a.hash, b.hash));
  const taken = await query<{ hash: Buffer }>(
    `INSERT INTO idempotency_keys (hash, body_hash, answer)
     SELECT hash, "bodyHash", '{}' FROM jsonb_to_recordset($1) AS key (hash bytea, "bodyHash" bytea)
     ON CONFLICT DO NOTHING RETURNING hash`,
    [jsonRows(sorted.map(({ hash, bodyHash }) => ({ hash: byteaText(hash), bodyHash: byteaText(bodyHash) })))],
  );
  const ours = new Set(taken.map(({ hash }) => hash.toString('hex')));
  return readAnswers(
    { query },
    sorted.map(keyId).filter((id) => !ours.has(id)),
  );
}

/** The stored answers of these keys, by {@link keyId}. Once the statement's transaction has committed, a failover does not take them back. */
async function readAnswers({ query }: Queries, keyIds: readonly string[]): Promise<Map<string, StoredAnswer>> {
  if (keyIds.length === 0) return new Map();
  const rows = await query<StoredAnswer & { readonly hash: Buffer }>(
    `SELECT hash, body_hash AS "bodyHash", answer, ${CONFIRMED} FROM idempotency_keys WHERE hash = ANY($1::bytea[])`,
    [keyIds.map((id) => `\\x${id}`)],
  );
  return new Map(rows.map(({ hash, ...stored }) => [hash.toString('hex'), stored]));
}

/** The stored answer to an earlier call with this key; null if there is none. */
export function lookUpAnswer(db: Lookups, key: IdempotencyKey): Promise<StoredAnswer | null> {
  return db.lookUp(readAnswers, keyId(key));
}

/** Stores the answers of keys that this transaction took, with the hashes of their bodies. */
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

/** Releases keys that this transaction took: a refusal is not stored, so the caller may try again. */
export async function releaseKeys({ query }: Tx, keys: readonly IdempotencyKey[]): Promise<void> {
  if (keys.length === 0) return;
  await query('DELETE FROM idempotency_keys WHERE hash = ANY($1::bytea[])', [keys.map((key) => key.hash)]);
}

export const KEPT_KEYS = keepUntil(
  { from: 'FROM idempotency_keys', key: 'hash', since: 'created_at', age: '24 hours' },
  { what: 'the answer to a call, with its key hashed', kept: 'after the call', why: 'repeated calls' },
);
