import { inDatabase, onServer } from '../kit/service/postgres.ts';
import type { Queries } from './statements.ts';

// Takes from a database what it needs: space, the right to write, connections. Each function returns one that gives it
// back.

type Relief = () => Promise<void>;

/**
 * Nothing new can be stored, and no table created: the answer is that of a full disk (53100). Rows can be changed in
 * place, as on a full disk.
 */
export async function fillDisk({ query }: Queries): Promise<Relief> {
  const refuse = `BEGIN RAISE disk_full USING MESSAGE = 'could not extend file: No space left on device'; END`;
  await query(`CREATE FUNCTION no_space() RETURNS trigger LANGUAGE plpgsql AS $$ ${refuse} $$`);
  await query(`CREATE FUNCTION no_space_for_tables() RETURNS event_trigger LANGUAGE plpgsql AS $$ ${refuse} $$`);
  const tables = await query<{ name: string }>(
    `SELECT quote_ident(tablename) AS name FROM pg_tables WHERE schemaname = 'public'`,
  );
  // One after the other: loops at work lock several tables, too.
  for (const { name } of tables)
    await query(`CREATE TRIGGER no_space BEFORE INSERT ON ${name} FOR EACH ROW EXECUTE FUNCTION no_space()`);
  await query('CREATE EVENT TRIGGER no_space ON ddl_command_start EXECUTE FUNCTION no_space_for_tables()');
  return async () => {
    await query('DROP EVENT TRIGGER no_space');
    for (const { name } of tables) await query(`DROP TRIGGER no_space ON ${name}`);
    await query('DROP FUNCTION no_space()');
    await query('DROP FUNCTION no_space_for_tables()');
  };
}

/** Every new connection is read-only; existing ones are ended. */
export async function makeReadOnly(databaseUrl: string): Promise<Relief> {
  const { server, name } = placeOf(databaseUrl);
  await onServer(server, `ALTER DATABASE ${name} SET default_transaction_read_only = on`);
  await endConnections(server, `datname = '${name}'`);
  return () => onServer(server, `ALTER DATABASE ${name} RESET default_transaction_read_only`);
}

/** Creates a role with the rights of the service. `refuse`: it gets no new connection, and loses its existing ones. */
export async function createRole(
  databaseUrl: string,
): Promise<{ readonly databaseUrl: string; refuse(): Promise<Relief>; remove(): Promise<void> }> {
  const { server, name } = placeOf(databaseUrl);
  const role = `role_of_${name}`;
  await onServer(databaseUrl, `CREATE ROLE ${role} LOGIN PASSWORD 'starving'`);
  await onServer(databaseUrl, `GRANT ALL ON SCHEMA public TO ${role}`);
  await onServer(databaseUrl, `GRANT ALL ON ALL TABLES IN SCHEMA public TO ${role}`);
  await onServer(databaseUrl, `GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO ${role}`);
  return {
    databaseUrl: Object.assign(new URL(databaseUrl), { username: role, password: 'starving' }).href,
    async refuse() {
      await onServer(server, `ALTER ROLE ${role} CONNECTION LIMIT 0`);
      await endConnections(server, `usename = '${role}'`);
      return () => onServer(server, `ALTER ROLE ${role} CONNECTION LIMIT -1`);
    },
    async remove() {
      await onServer(databaseUrl, `DROP OWNED BY ${role}`);
      await onServer(server, `DROP ROLE ${role}`);
    },
  };
}

function placeOf(databaseUrl: string): { server: string; name: string } {
  return { server: inDatabase(databaseUrl, 'postgres'), name: new URL(databaseUrl).pathname.slice(1) };
}

function endConnections(server: string, which: string): Promise<void> {
  return onServer(server, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${which}`);
}
