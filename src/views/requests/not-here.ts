import { madeAt } from '../../base/ids.ts';
import { Problem } from '../../base/problems.ts';
import type { Queries } from '../../db/database.ts';
import { readDetached } from '../../ledger/archived-months.ts';

/**
 * Why there is nothing under the id of a payment: `not-found` with this detail, or `archived` if all that was made at that time is in files. An id
 * begins with its time, so nothing has to be kept of a payment to say so. One without a time is of a payment that is never archived.
 */
export async function notHere(db: Queries, id: string, detail: string): Promise<Problem> {
  const made = madeAt(id);
  // A text that is no id has no time either.
  const detached = made.getTime() > 0 ? await readDetached(db) : null;
  if (!detached || made >= detached.until) return new Problem('not-found', detail);
  const before = detached.until.toISOString().slice(0, 10);
  return new Problem(
    'archived',
    `What was made before ${before} is archived. The operator has the file of ${made.toISOString().slice(0, 7)}.`,
  );
}

/** Throws `archived` if all that was made at the time of this id is in files. */
export async function requireNotArchived(db: Queries, id: string): Promise<void> {
  const problem = await notHere(db, id, '');
  if (problem.code === 'archived') throw problem;
}

/** At the end of a list (`next` is null): what was made before this time is in files only. Null: nothing is, or the list goes on. */
export async function archivedBefore(db: Queries, next: unknown): Promise<Date | null> {
  return next === null ? ((await readDetached(db))?.until ?? null) : null;
}
