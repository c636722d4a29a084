import type { UserId } from '../base/ids.ts';
import type { Queries } from '../db/database.ts';
import { keepUntil } from '../db/keep-until.ts';

export const DRAFT_MINUTES = 30;

/** Keeps a form that its sender must confirm first. A user has one at a time: a new one replaces the old one. */
export async function storeDraft(
  { query }: Queries,
  draft: { readonly userId: UserId; readonly id: string; readonly sealed: Uint8Array },
): Promise<void> {
  await query(
    `INSERT INTO form_drafts (user_id, id, sealed, expires_at) VALUES ($1, $2, $3, now() + make_interval(mins => $4))
     ON CONFLICT (user_id) DO UPDATE SET id = excluded.id, sealed = excluded.sealed, expires_at = excluded.expires_at`,
    [draft.userId, draft.id, Buffer.from(draft.sealed), DRAFT_MINUTES],
  );
}

/** Null if this user has no such draft, or it has expired. */
export async function findDraft({ query }: Queries, userId: UserId, id: string): Promise<Buffer | null> {
  const [row] = await query<{ sealed: Buffer }>(
    'SELECT sealed FROM form_drafts WHERE user_id = $1 AND id = $2 AND expires_at > now()',
    [userId, id],
  );
  return row?.sealed ?? null;
}

/** Whether a draft is sealed under another data key than this one. */
export async function hasOlderDrafts({ query }: Queries, key: Buffer): Promise<boolean> {
  return (await query('SELECT FROM form_drafts WHERE substring(sealed FOR 4) <> $1 LIMIT 1', [key])).length > 0;
}

export async function deleteDraft({ query }: Queries, userId: UserId, id: string): Promise<void> {
  await query('DELETE FROM form_drafts WHERE user_id = $1 AND id = $2', [userId, id]);
}

export const KEPT_DRAFTS = keepUntil(
  { from: 'FROM form_drafts', key: 'user_id', since: 'expires_at' },
  { what: 'a form, sealed, that waits for a confirmation', kept: `${DRAFT_MINUTES} minutes`, why: 'sending it' },
);
