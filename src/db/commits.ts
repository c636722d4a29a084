import { CommitsWait, isUnavailable } from './failures.ts';

/**
 * A column for a statement whose rows somebody will act on outside this database. If the statement finds a row, its transaction's COMMIT
 * is acknowledged only when a standby has everything that the statement has seen (with `synchronous_standby_names`; without, it costs a
 * small write). Somebody may have cancelled the wait of an earlier COMMIT, or its server crashed meanwhile. Its rows are visible then,
 * and a failover still takes them back.
 *
 * The subquery runs once, with the first row. Its message is a record of the log that nobody reads. `pg_current_xact_id()` would not do: PostgreSQL waits for a standby only if the
 * transaction wrote a record before its COMMIT (`RecordTransactionCommit` in xact.c).
 */
export const CONFIRMED = `(SELECT pg_logical_emit_message(true, 'quarters', '')) IS NOT NULL AS confirmed`;

/** Whether a statement, a constant of the program, reads with {@link CONFIRMED}. */
export function isConfirmed(text: string): boolean {
  return text.includes(CONFIRMED);
}

const CONFIRM = `SELECT ${CONFIRMED}`;
/** Sessions of this role are visible to it, those of other processes and those that were given up too: they wait until a standby answers. */
const WAITING = `SELECT EXISTS (
    SELECT FROM pg_stat_activity
     WHERE wait_event = 'SyncRep' AND usename = current_user
       AND query_start < clock_timestamp() - make_interval(secs => $1)) AS waiting`;
const HAS_STANDBYS = `SELECT current_setting('synchronous_standby_names') <> '' AS waiting`;
/** It waits for no standby, so it takes this long only on a server that is busy or gone. */
const ASKING_TIMEOUT_MS = 10_000;
const ASK_AGAIN_AFTER_MS = 1_000;
const READS = /^\s*(SELECT|WITH|SET LOCAL)\b/;
const LOCKS = /\bFOR (NO KEY )?UPDATE\b/g;
const WRITES = /\b(INSERT INTO|UPDATE|DELETE FROM|pg_logical_emit_message)\b/;

export type CommitWatch = {
  /** When a COMMIT should have been answered. */
  readonly withinMs: number;
  /** A COMMIT got no answer in that time. If it was only slow, the next check shows that. */
  noteUnanswered(): void;
  /** Resolves at once unless COMMITs wait. Throws {@link CommitsWait} while they do. */
  assertAnswered(): Promise<void>;
  /** As `assertAnswered`, but asks the server in any case. */
  check(): Promise<void>;
};

/**
 * Watches whether COMMITs are answered. While they wait for a standby, each new one would keep a connection of the server until a
 * standby is back, and soon there would be none. So they are refused, and the server is asked at most once a second.
 *
 * `withinMs`: when a COMMIT should have been answered. `query` runs a statement on a connection of its own, with a limit of time. When the
 * waiting begins, `onFault` is called if the server has standbys to wait for, and otherwise `onSlow`: it is busy, or gone.
 */
export function watchCommits(
  withinMs: number,
  query: (timeoutMs: number) => (text: string, values: readonly unknown[]) => Promise<{ readonly waiting?: boolean }[]>,
  { onFault, onSlow }: { onFault(error: Error): void; onSlow(): void },
): CommitWatch {
  let waiting = false;
  let asking: Promise<void> | null = null;
  const forget = () => {
    asking = null;
  };

  function noteUnanswered(): void {
    if (!waiting) void report();
    waiting = true;
  }

  async function report(): Promise<void> {
    const [row] = await query(ASKING_TIMEOUT_MS)(HAS_STANDBYS, []).catch(() => []);
    if (row?.waiting) onFault(new CommitsWait('COMMIT waits for a standby that does not answer'));
    else onSlow();
  }

  async function ask(): Promise<void> {
    const [row] = await query(ASKING_TIMEOUT_MS)(WAITING, [withinMs / 2_000]);
    const seen = row?.waiting ?? false;
    if (seen && waiting) throw new CommitsWait();
    if (!seen && !waiting) return;
    // A statement that took long itself may wait for a moment only, and those that were given up may be gone before a standby is back.
    await query(withinMs)(CONFIRM, []).catch((error: unknown) => {
      if (!isUnavailable(error)) throw error;
      noteUnanswered();
      throw new CommitsWait();
    });
    waiting = false;
  }

  async function check(): Promise<void> {
    asking ??= ask().then(forget, (error: unknown) => {
      setTimeout(forget, ASK_AGAIN_AFTER_MS).unref();
      throw error;
    });
    await asking;
  }

  return {
    withinMs,
    noteUnanswered,
    assertAnswered: async () => {
      if (waiting) await check();
    },
    check,
  };
}

/** Whether a statement, a constant of the program, may write: locks of rows are written, too. */
export const mayWrite = ofConstants((text) => WRITES.test(text));

/** Whether a statement, a constant of the program, changes nothing but locks. */
export const onlyReads = ofConstants((text) => READS.test(text) && !WRITES.test(text.replaceAll(LOCKS, '')));

function ofConstants(judge: (text: string) => boolean): (text: string) => boolean {
  const known = new Map<string, boolean>();
  return (text) => {
    const found = known.get(text) ?? judge(text);
    known.set(text, found);
    return found;
  };
}
