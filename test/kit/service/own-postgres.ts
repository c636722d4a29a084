import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../../local/postgres/postgres.ts';
import type { Query } from '../../../src/db/queries.ts';
import { atEnd, type Ending } from '../unit/at-end.ts';
import { until } from '../unit/until.ts';

/** A PostgreSQL that its test may configure, kill, copy and promote. The run's own is everybody's. */
export type OwnPostgres = {
  /** `postgres://…` of its superuser. Another one after each start. */
  readonly url: string;
  readonly port: number;
  /** Runs statements in a session of its own, which waits for no standby. */
  readonly sql: Query;
  /**
   * Makes COMMITs of other sessions wait for a standby of this name (`*`: for any). Empty: for none. Resolves when they do, or when a standby
   * is there.
   */
  waitFor(standby: string): Promise<void>;
  kill(): Promise<void>;
  stop(): Promise<void>;
  start(): Promise<void>;
  /** Restarts it, and copies its disk meanwhile. The result puts the copy back and starts it, like a restored snapshot of a machine. */
  saveDisk(): Promise<() => Promise<void>>;
  /** A standby that streams from this one. */
  copy(): Promise<OwnPostgres>;
  /** A base backup, made while it runs. `open` starts it as a server of its own; its files can also be removed unused. */
  backUp(): Promise<{ open(): Promise<OwnPostgres>; remove(): void }>;
  /** Kills it if it runs, and removes its files. */
  remove(): Promise<void>;
  /** Ends being a standby. Resolves when writes are taken. */
  promote(): Promise<void>;
};

/** Sessions whose COMMIT waits for a standby. */
export const WAITING = `SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep'`;

export async function startOwnPostgres(t: Ending): Promise<OwnPostgres> {
  return open(t, makeFolder(t));
}

function makeFolder(t: Ending): string {
  const folder = mkdtempSync(join(tmpdir(), 'quarters-test-'));
  chmodSync(folder, 0o755);
  atEnd(t, () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

async function open(t: Ending, dataDir: string): Promise<OwnPostgres> {
  let server: EmbeddedPostgres = await startEmbeddedPostgres({ dataDir, fast: true });
  atEnd(t, () => server.stop());

  async function inSession<Result>(work: (client: pg.Client) => Promise<Result>): Promise<Result> {
    const client = new pg.Client({ connectionString: server.url, options: '-c synchronous_commit=local' });
    client.on('error', () => {});
    await client.connect();
    return work(client).finally(() => client.end());
  }
  const sql: Query = <Row extends object>(text: string, values: readonly unknown[] = []) =>
    inSession(async (client) => (await client.query<Row>(text, [...values])).rows);
  const clusterOf = async () => (await sql<{ data_directory: string }>('SHOW data_directory'))[0]!.data_directory;

  async function kill(): Promise<void> {
    const pid = readFileSync(join(await clusterOf(), 'postmaster.pid'), 'utf8').split('\n')[0];
    process.kill(Number(pid), 'SIGKILL');
    await server.exited;
  }

  /** A copy of its files that a server can start with: its log goes to the end of the copying. */
  async function baseBackup() {
    const folder = makeFolder(t);
    const cluster = join(folder, 'postgres', 'cluster');
    mkdirSync(join(folder, 'postgres'), { mode: 0o755 });
    const source = await clusterOf();
    const label = await inSession(async (client) => {
      await client.query(`SELECT pg_backup_start('a copy', true)`);
      // Files may go meanwhile, of which `cp` complains. The log knows of it.
      await promisify(execFile)('cp', ['-a', source, cluster]).catch(() => {});
      const { rows } = await client.query<{ labelfile: string }>('SELECT labelfile FROM pg_backup_stop(false)');
      return rows[0]!.labelfile;
    });
    await promisify(execFile)('cp', ['-a', `${join(source, 'pg_wal')}/.`, join(cluster, 'pg_wal')]).catch(() => {});
    const { uid, gid } = statSync(join(cluster, 'PG_VERSION'));
    const write = async (name: string, text: string, flag = 'w') => {
      writeFileSync(join(cluster, name), text, { flag, mode: 0o600 });
      await promisify(execFile)('chown', [`${uid}:${gid}`, join(cluster, name)]);
    };
    rmSync(join(cluster, 'postmaster.pid'));
    await write('backup_label', label);
    writeFileSync(join(folder, 'postgres', 'password'), `${new URL(server.url).password}\n`, { mode: 0o600 });
    return { folder, write };
  }

  return {
    get url() {
      return server.url;
    },
    get port() {
      return Number(new URL(server.url).port);
    },
    sql,
    async waitFor(standby) {
      await sql(`ALTER SYSTEM SET synchronous_standby_names = '${standby}'`);
      await sql('SELECT pg_reload_conf()');
      if (standby === '') return until('nobody waits', async () => (await sql(WAITING)).length === 0);
      // Each process of the server reads the change when it gets to it.
      const client = new pg.Client({ connectionString: server.url });
      client.on('error', () => {});
      await client.connect();
      await until('COMMITs wait', async () => {
        if ((await sql(`SELECT FROM pg_stat_replication WHERE sync_state = 'sync'`)).length > 0) return true;
        let isOver = false;
        const trying = client.query(`SELECT pg_logical_emit_message(true, 'a test', '')`).finally(() => {
          isOver = true;
        });
        let waits = false;
        await until('the outcome', async () => {
          waits = (await sql(`${WAITING} AND query LIKE '%a test%'`)).length > 0;
          return waits || isOver;
        });
        if (waits) await sql(`SELECT pg_cancel_backend(pid) FROM (${WAITING} AND query LIKE '%a test%') AS own`);
        await trying;
        return waits;
      });
      await client.end();
    },
    kill,
    stop: () => server.stop(),
    async start() {
      server = await startEmbeddedPostgres({ dataDir, fast: true });
    },
    async saveDisk() {
      const cluster = await clusterOf();
      await server.stop();
      await promisify(execFile)('cp', ['-a', cluster, `${cluster}-saved`]);
      server = await startEmbeddedPostgres({ dataDir, fast: true });
      return async () => {
        await server.stop();
        rmSync(cluster, { recursive: true });
        renameSync(`${cluster}-saved`, cluster);
        server = await startEmbeddedPostgres({ dataDir, fast: true });
      };
    },
    async copy() {
      const { folder, write } = await baseBackup();
      await write('standby.signal', '');
      const { hostname, port, username, password } = new URL(server.url);
      const primary = `host=${hostname} port=${port} user=${username} password=${password}`;
      await write('postgresql.auto.conf', `primary_conninfo = '${primary}'\n`, 'a');
      const standby = await open(t, folder);
      await until('the standby streams', async () => {
        return (await sql(`SELECT FROM pg_stat_replication WHERE state = 'streaming'`)).length > 0;
      });
      return standby;
    },
    async backUp() {
      const { folder } = await baseBackup();
      return { open: () => open(t, folder), remove: () => rmSync(folder, { recursive: true, force: true }) };
    },
    async remove() {
      await kill().catch(() => {});
      rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 });
    },
    async promote() {
      await sql('SELECT pg_promote()');
    },
  };
}
