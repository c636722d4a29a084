import type { Queries } from '../db/database.ts';
import { ACTION_COLUMNS, type ActionId, type ActionRow, type ActionState } from './operator-actions.ts';

/** Which actions a list shows. */
export type ActionFilter = {
  readonly state?: ActionState | undefined;
  readonly kind?: string | undefined;
  /** Only those that concern this, such as `user:…`. */
  readonly subject?: string | undefined;
};

/** Actions below `before` (the last one of the page before), newest first, at most `most`. */
export async function listActions(
  { query }: Queries,
  { state, kind, subject }: ActionFilter,
  most: number,
  before: ActionId | null = null,
): Promise<ActionRow[]> {
  return query<ActionRow>(
    `SELECT ${ACTION_COLUMNS} FROM operator_actions
      WHERE ($1::text IS NULL OR CASE $1 WHEN 'expired' THEN state = 'waiting' AND expires_at <= now()
                                         WHEN 'waiting' THEN state = 'waiting' AND expires_at > now()
                                         ELSE state = $1 END)
        AND ($2::text IS NULL OR kind = $2) AND ($3::text IS NULL OR subject = $3)
        AND ($4::uuid IS NULL OR (asked_at, id) < (SELECT asked_at, id FROM operator_actions WHERE id = $4))
      ORDER BY asked_at DESC, id DESC LIMIT $5`,
    [state ?? null, kind ?? null, subject ?? null, before, most],
  );
}

/** What is not over, oldest first, at most `most`: what waits for a second person, and what was started and not finished. */
export async function listOpenActions({ query }: Queries, most: number): Promise<ActionRow[]> {
  return query<ActionRow>(
    `SELECT ${ACTION_COLUMNS} FROM operator_actions
      WHERE state IN ('waiting', 'started') AND (state = 'started' OR expires_at > now())
      ORDER BY asked_at, id LIMIT $1`,
    [most],
  );
}
