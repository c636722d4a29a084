import { randomUUID } from 'node:crypto';
import type { Query } from '../db/database.ts';

type Queries = { readonly query: Query };

/** A mail to send; its content is sealed, as it may hold a code. */
export type StoredMail = {
  readonly id: string;
  readonly sealed: Buffer;
  /** This one included. */
  readonly attempts: number;
  readonly createdAt: Date;
};

export const newMailId = () => randomUUID();

export async function insertMail({ query }: Queries, id: string, sealed: Buffer): Promise<void> {
  await query('INSERT INTO mails (id, sealed) VALUES ($1, $2)', [id, sealed]);
}

/**
 * Takes up to `most` mails that are due; no other process gets them at the same time. Taking puts the next attempt off (1, 2,
 * 4 … minutes, at most an hour), so a failure, or the end of this process, needs no further word.
 */
export async function takeDueMails({ query }: Queries, most: number): Promise<StoredMail[]> {
  const rows = await query<{ id: string; sealed: Buffer; attempts: number; created_at: Date }>(
    `WITH due AS (
       SELECT id FROM mails WHERE next_attempt_at <= now()
        ORDER BY next_attempt_at LIMIT $1 FOR NO KEY UPDATE SKIP LOCKED)
     UPDATE mails SET attempts = attempts + 1, next_attempt_at = now() + interval '1 minute' * least(60, 2 ^ attempts)
       FROM due WHERE mails.id = due.id RETURNING mails.id, sealed, attempts, created_at`,
    [most],
  );
  return rows.map(({ created_at, ...mail }) => ({ ...mail, createdAt: created_at }));
}

export async function deleteMail({ query }: Queries, id: string): Promise<void> {
  await query('DELETE FROM mails WHERE id = $1', [id]);
}
