import type pg from 'pg';
import { sqlState, UnusableServer } from './failures.ts';

/** Where a server is in its history. `position`: what it has flushed, or replayed. */
export type HistoryPoint = { readonly system: string; readonly timeline: number; readonly position: bigint };

const ANSWERS_WITHIN_MS = 10_000;
/**
 * Every role may ask this, in PostgreSQL 15 to 18. The timeline is that of the next commit: right after a promotion the control file still
 * names the earlier one. These functions fail on a standby, so there they are not called.
 */
export const READ_HISTORY_POINT = `
  SELECT standby AS "isStandby", (pg_control_system()).system_identifier::text AS system,
         CASE WHEN NOT standby THEN left(pg_walfile_name(pg_current_wal_insert_lsn()), 8) END AS timeline,
         CASE WHEN NOT standby THEN (pg_current_wal_flush_lsn() - '0/0'::pg_lsn)::text END AS position
    FROM (SELECT pg_is_in_recovery() AS standby OFFSET 0) AS server`;

export type HistoryRow = {
  readonly isStandby: boolean;
  readonly system: string;
  readonly timeline: string | null;
  readonly position: string | null;
};

/** What the new connections of one pool lead to. */
export type History = {
  /**
   * Call it with each new connection, before any other statement. `onChange` is called, and earlier connections are out of date, if the
   * server continues another history than the one before: a standby was promoted, or a backup was restored. It may lack the last commits.
   *
   * Throws `UnusableServer` for a standby, and for an old primary that has come back.
   */
  meet(client: pg.ClientBase): Promise<void>;
  /** Whether the connection leads to the newest history. */
  isCurrent(client: pg.ClientBase): boolean;
};

export function watchHistory(onChange: () => void): History {
  let known: HistoryPoint | null = null;
  let chapter = 0;
  const chapters = new WeakMap<pg.ClientBase, number>();
  return {
    async meet(client) {
      // Connections are made at the same time, and their answers may arrive in any order.
      const asked = known;
      const seen = await readHistoryPoint(client);
      if (seen && known && isOlder(seen, known)) {
        throw new UnusableServer('The database server is an old primary, which another one has replaced');
      }
      if (
        seen &&
        known &&
        (isElsewhere(seen, known) || (asked && !isElsewhere(asked, known) && isBehind(seen, asked)))
      ) {
        known = seen;
        chapter++;
        onChange();
      } else if (seen && (!known || isBehind(known, seen))) known = seen;
      chapters.set(client, chapter);
    },
    isCurrent: (client) => chapters.get(client) === chapter,
  };
}

const isOlder = (point: HistoryPoint, than: HistoryPoint) =>
  point.system === than.system && point.timeline < than.timeline;
const isElsewhere = (point: HistoryPoint, than: HistoryPoint) =>
  point.system !== than.system || point.timeline !== than.timeline;
/** On one timeline the log only grows. A server behind itself is a copy of an earlier state of its disk. */
const isBehind = (point: HistoryPoint, than: HistoryPoint) => point.position < than.position;

/** Functions that this server does not have, or allows to some roles only. */
const UNSUPPORTED = ['42501', '42883', '0A000'];

/** Null if the server does not say it, as some hosted ones. Throws `UnusableServer` for a standby. */
async function readHistoryPoint(client: pg.ClientBase): Promise<HistoryPoint | null> {
  const query = { text: READ_HISTORY_POINT, query_timeout: ANSWERS_WITHIN_MS };
  const { rows } = await client.query<HistoryRow>(query).catch((error: unknown) => {
    if (UNSUPPORTED.includes(sqlState(error) ?? '')) return { rows: [] };
    throw error;
  });
  const [row] = rows;
  if (!row) return null;
  if (row.isStandby) throw new UnusableServer('The database server is a standby');
  return pointOf(row);
}

export function pointOf({ system, timeline, position }: HistoryRow): HistoryPoint {
  return { system, timeline: Number.parseInt(timeline!, 16), position: BigInt(position!) };
}
