import type { Queries } from './queries.ts';

/** A standby, as the primary sees it. */
export type Standby = {
  readonly name: string;
  /** `streaming` if it is up to date, or nearly. Null if our role may not see that. */
  readonly state: string | null;
  /** `sync` and `quorum`: COMMIT waits for it. Null if our role may not see that. */
  readonly sync: 'async' | 'potential' | 'sync' | 'quorum' | null;
};

/** What of a server decides whether a COMMIT that it has answered can be lost. */
export type Replication = {
  readonly isStandby: boolean;
  /** `on`, `remote_apply`, `remote_write`, `local` or `off`, for our sessions. */
  readonly synchronousCommit: string;
  /** Empty: COMMIT waits for no standby. */
  readonly synchronousStandbyNames: string;
  /** Grows by one with each promotion. Null on a standby, and where our role may not ask. */
  readonly timeline: number | null;
  /** Standbys that are connected. Roles without `pg_monitor` see that there are some, and not what they are. */
  readonly standbys: readonly Standby[];
  readonly fsync: boolean;
  readonly fullPageWrites: boolean;
  readonly walLevel: string;
  readonly maxConnections: number;
};

type Row = Omit<Replication, 'timeline'>;

const READ = `
  SELECT pg_is_in_recovery() AS "isStandby", current_setting('synchronous_commit') AS "synchronousCommit",
         current_setting('synchronous_standby_names') AS "synchronousStandbyNames",
         current_setting('fsync')::boolean AS fsync, current_setting('full_page_writes')::boolean AS "fullPageWrites",
         current_setting('wal_level') AS "walLevel", current_setting('max_connections')::integer AS "maxConnections",
         coalesce((SELECT jsonb_agg(jsonb_build_object('name', coalesce(application_name, ''), 'state', state, 'sync', sync_state)
                                    ORDER BY application_name)
                     FROM pg_stat_replication), '[]') AS standbys`;

const READ_TIMELINE = `
  SELECT ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::integer AS timeline`;

/** Reads how the server that answers is replicated. Every role may. */
export async function readReplication({ query }: Queries): Promise<Replication> {
  const [row] = await query<Row>(READ);
  // A standby cannot say it, and some hosted servers do not.
  const [known] = row!.isStandby ? [] : await query<{ timeline: number }>(READ_TIMELINE).catch(() => []);
  return { ...row!, timeline: known?.timeline ?? null };
}
