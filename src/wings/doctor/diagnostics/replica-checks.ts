import { openReplica } from '../../../db/reads.ts';
import type { Finding } from '../../../diagnostics/findings/finding.ts';
import { findingOfReplica } from '../../../diagnostics/findings/replica-finding.ts';
import { encryption } from './database-checks.ts';
import type { Examination } from './examination.ts';

/** Looks once whether DATABASE_READ_URL leads to a standby of the database that is up to date. */
export async function checkReadReplica({ settings, database, env }: Examination): Promise<Finding[] | null> {
  const { databaseReadUrl } = settings;
  const db = databaseReadUrl === undefined ? null : await database();
  if (!db || databaseReadUrl === undefined) return null;
  const replica = openReplica(db, databaseReadUrl, { onChange: () => {} });
  try {
    await replica.firstLook;
    return [findingOfReplica(replica.state()), ...encryption('DATABASE_READ_URL', databaseReadUrl, env)];
  } finally {
    await replica.close();
  }
}
