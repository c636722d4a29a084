import { randomUUID } from 'node:crypto';
import type { Query } from '../db/database.ts';

type Queries = { readonly query: Query };

/** A mail to send. Its content is sealed, since it may contain a code. */
export type StoredMail = {
  readonly id: string;
  readonly sealed: Buffer;
  /** Including this one. */
  readonly attempts: number;
  readonly createdAt: Date;
};

export const newMailId = () => randomUUID();

export async function insertMail({ query }: Queries, id: string, sealed: Buffer): Promise<void> {
  await query('INSERT INTO mails (id, sealed) VALUES ($1, $2)', [id, sealed]);
}

/**
 * Takes up to `most` due mails; no other process gets them at the same time. Taking schedules the next attempt (after 1, 2, 4 … minutes,
 * at most an hour), so a failure or a crash needs no further update.
 */
export async function takeDueMails({ query }: Queries, most: number): Promise<StoredMail[]> {
  return query<StoredMail>(
    `WITH due AS (
       SELECT id FROM mails WHERE next_attempt_at <= now()
        ORDER BY next_attempt_at LIMIT $1 FOR NO KEY UPDATE SKIP LOCKED)
     UPDATE mails SET attempts = attempts + 1, next_attempt_at = now() + interval '1 minute' * least(60, 2 ^ attempts)
       FROM due WHERE mails.id = due.id RETURNING mails.id, sealed, attempts, created_at AS "createdAt"`,
    [most],
  );
}

export async function deleteMail({ query }: Queries, id: string): Promise<void> {
  await query('DELETE FROM mails WHERE id = $1', [id]);
}
