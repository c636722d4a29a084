import { randomBytes } from 'node:crypto';
import { atEnd, type Ending, everyTest } from '../unit/at-end.ts';
import { inDatabase, onServer, startTestPostgres, TEMPLATE } from './postgres.ts';

let own: ReturnType<typeof startOwnPostgres> | undefined;

/**
 * A migrated database for one test, or a copy of another `template`. The server is the run's (global set-up) or, for a
 * file run alone, this file's.
 */
export async function createDatabase(t: Ending, template = TEMPLATE): Promise<string> {
  own ??= process.env.QUARTERS_TEST_POSTGRES ? undefined : startOwnPostgres();
  const server = own ? (await own).url : process.env.QUARTERS_TEST_POSTGRES!;
  const name = `test_${randomBytes(8).toString('hex')}`;
  // Copies files, because nothing here waits for a disk: half the work of copying through the log.
  await onServer(server, `CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY FILE_COPY`);
  atEnd(t, () => onServer(server, `DROP DATABASE ${name} WITH (FORCE)`));
  return inDatabase(server, name);
}

async function startOwnPostgres(): ReturnType<typeof startTestPostgres> {
  const postgres = await startTestPostgres();
  atEnd(everyTest, postgres.stop);
  return postgres;
}
