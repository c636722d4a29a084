import { randomBytes } from 'node:crypto';
import { after, type TestContext } from 'node:test';
import { atEnd } from './at-end.ts';
import { inDatabase, onServer, startTestPostgres, TEMPLATE } from './postgres.ts';

let own: ReturnType<typeof startTestPostgres> | undefined;
after(async () => (await own)?.stop());

/**
 * A migrated database of the test's own, or a copy of another `template`. The server is the run's (global set-up) or, for a file
 * run alone, this file's.
 */
export async function createDatabase(t: TestContext, template = TEMPLATE): Promise<string> {
  own ??= process.env.QUARTERS_TEST_POSTGRES ? undefined : startTestPostgres();
  const server = own ? (await own).url : process.env.QUARTERS_TEST_POSTGRES!;
  const name = `test_${randomBytes(8).toString('hex')}`;
  // By file, as nothing here waits for a disk: half the work of going through the log.
  await onServer(server, `CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY FILE_COPY`);
  atEnd(t, () => onServer(server, `DROP DATABASE ${name} WITH (FORCE)`));
  return inDatabase(server, name);
}
