import type { Settings } from '../config/settings.ts';
import { type Database, openDatabase } from '../db/database.ts';
import { openReplica } from '../db/reads.ts';
import type { Log, Service } from '../service/service.ts';

type Databases = Pick<Service, 'db' | 'reads' | 'replica'> & { close(): Promise<void> };

/** Opens the database, and its replica if there is one. `maxConnections`: of each, at once. */
export function openDatabases(
  { databaseReadUrl }: Pick<Settings, 'databaseReadUrl'>,
  { databaseUrl, maxConnections }: { readonly databaseUrl: string; readonly maxConnections?: number },
  log: Log,
): Databases {
  const most = maxConnections ? { maxConnections } : {};
  const db = openDatabase(databaseUrl, {
    ...most,
    onError: (error) => log.warn({ reason: error.message }, 'an idle database connection broke'),
    onWriteFault: (err) => log.error({ err }, 'the database does not take writes: /readyz is red until one succeeds'),
    onSlowCommit: () =>
      log.warn({}, 'a COMMIT has no answer after ten seconds: the database server or its disk is busy, or it is gone'),
  });
  if (databaseReadUrl === undefined) return { db, reads: db, replica: () => null, close: db.close };
  return withReplica(db, databaseReadUrl, most, log);
}

function withReplica(db: Database, url: string, most: { maxConnections?: number }, log: Log): Databases {
  const replica = openReplica(db, url, {
    ...most,
    onChange: ({ isInUse, reason }) =>
      isInUse
        ? log.info({}, 'the read replica is in use')
        : log.warn({ reason }, 'the read replica is not in use: the primary reads everything'),
  });
  const close = async () => {
    await replica.close();
    await db.close();
  };
  return { db, reads: replica.reads, replica: replica.state, close };
}
