import { randomUUID } from 'node:crypto';
import type { Database } from '../db/database.ts';
import type { Queries } from '../db/queries.ts';
import { lockProcesses } from './join.ts';
import { hasOthers, type ProcessSelf } from './processes.ts';

/**
 * For so long after it the mark of an orderly stop counts. A restart takes seconds. Whoever restores something that was copied while the
 * service was stopped takes longer, or another data folder was in use meanwhile.
 */
const COUNTS_MINUTES = 15;

/** Where else the token is kept, outside of the database: a file that no copy of the folder has. */
export type TokenKeeper = {
  /** Keeps the token. */
  keep(token: string): Promise<void>;
  /** Returns the token, and removes it. Null if there is none, or only a copy. */
  take(): Promise<string | null>;
};

/** Marks the database as left in order, if no other process is alive. Call it when this one will write nothing more. */
export async function leaveInOrder(db: Database, self: Pick<ProcessSelf, 'id'>, keeper: TokenKeeper): Promise<void> {
  await db.transaction(async (tx) => {
    // Of processes that stop at once, the last one sees no other. So both tokens are its own.
    await lockProcesses(tx);
    if (await hasOthers(tx, self.id)) return;
    const token = randomUUID();
    await keeper.keep(token);
    await tx.query(
      `INSERT INTO left_in_order (token) VALUES ($1)
       ON CONFLICT (singleton) DO UPDATE SET token = excluded.token, left_at = clock_timestamp()`,
      [token],
    );
  });
}

/**
 * Whether the database is as the last process left it. Takes the mark from both places, so that it counts once. Call it at a start, before
 * anything else.
 */
export async function takeMark({ query }: Queries, keeper: TokenKeeper): Promise<boolean> {
  const kept = await keeper.take();
  const [taken] = await query<{ token: string; counts: boolean }>(
    `DELETE FROM left_in_order
     RETURNING token, clock_timestamp() BETWEEN left_at AND left_at + make_interval(mins => $1) AS counts`,
    [COUNTS_MINUTES],
  );
  return taken?.counts === true && taken.token === kept;
}
