import type { Logger } from 'pino';
import { closeHttp, freePort, listen } from './api/listen.ts';
import { createMetricsServer } from './api/metrics.ts';
import { createHttpServer } from './api/server.ts';
import { connectRpc, RpcUnreachable } from './chain/rpc.ts';
import { isDevelopment } from './config/development.ts';
import { SettingsError, startFaults } from './config/read-settings.ts';
import type { Settings } from './config/settings.ts';
import { masterKeyPath, othersMayRead } from './custody/master-key.ts';
import { lockFolder, removeRunning, writeRunning } from './data-folder.ts';
import { isUnavailable } from './db/database.ts';
import { drain } from './drain.ts';
import { startJobs } from './jobs/jobs.ts';
import { readCursor } from './ledger/blocks.ts';
import { openService } from './open-service.ts';
import { registerPages } from './pages/pages.ts';
import type { OpenParts, Parts } from './parts.ts';
import { enterDatabase } from './processes/membership.ts';
import { requireEther } from './settlement/gas.ts';
import { markStarted } from './settlement/readiness.ts';
import type { Service } from './settlement/service.ts';
import { type Closers, type Ending, openClosers, openEnding } from './shutdown.ts';
import { startScreen, type TryOut } from './start-screen.ts';
import { openTracing } from './tracing.ts';

/** A part that dies cuts its connections first. Its exit is seen a moment later. */
const LOSS_SHOWS_WITHIN_MS = 1_000;
/** How long a step of the start may take to notice that its resources were closed. */
const STEP_ENDS_WITHIN_MS = 5_000;

/** What differs between the service alone and a try-out. */
export type Surroundings = {
  readonly openParts: OpenParts;
  /** Adds an app and a game to a service that answers. Registers what it opens with `closers`. */
  readonly addTryOut?: (service: Service, parts: Parts, closers: Closers, ended: AbortSignal) => Promise<TryOut | null>;
};

type Start = {
  readonly settings: Settings;
  readonly log: Logger;
  readonly say: (line: string) => void;
  readonly closers: Closers;
  readonly ending: Ending;
};

/**
 * Starts the whole service and resolves when it has stopped, on Ctrl-C (SIGINT) or SIGTERM. It throws a readable Error if the
 * start fails or an essential part is lost. Both end the start at any step and stop everything that was started,
 * including what a step still starts meanwhile.
 */
export async function start(
  settings: Settings,
  log: Logger,
  out: NodeJS.WritableStream,
  surroundings: Surroundings,
): Promise<void> {
  const faults = startFaults(settings);
  if (faults.length > 0) throw new SettingsError(faults);
  const say = (line: string) => void out.write(`${line}\n`);
  const ending = openEnding(log);
  const closers = openClosers((error) => log.error({ err: error }, 'a part did not stop in order'));
  const lock = await lockFolder(settings.dataDir);
  const starting = bringUp({ settings, log, say, closers, ending }, surroundings).catch(async (error: Error) => {
    const mayBeLoss = isUnavailable(error) || error instanceof RpcUnreachable;
    if (mayBeLoss) await within(LOSS_SHOWS_WITHIN_MS, ending.reached);
    ending.reach(error);
  });

  const fault = await ending.reached;
  if (!fault) say('Stopping …');
  await closers.close();
  const stepIsOver = await within(STEP_ENDS_WITHIN_MS, starting);
  ending.closed();
  if (!stepIsOver) {
    // Everything is closed, so a step that still waits, for the chain say, is cut off. It may still write to the folder, so
    // the lock is released only when the process ends.
    if (fault) log.fatal({ err: fault }, 'the service has ended');
    process.exit(fault ? 1 : 0);
  }
  lock.release();
  if (fault) throw fault;
}

/** Runs all steps of a start in order. Each registers what it opens with `closers` at once. */
async function bringUp(
  { settings, log, say, closers, ending }: Start,
  { openParts, addTryOut }: Surroundings,
): Promise<void> {
  const began = performance.now();
  const tracing = await openTracing(settings);
  // Closed last, so that a trace shows the stop too.
  if (tracing) await closers.opened(tracing.close);
  say('Connecting to database and chain …');
  const opening = openParts(settings, say, ending.signal);
  // Registered while they still open, so that an early end also stops the part that has already started.
  await closers.opened(() =>
    opening.then(
      ({ stop }) => stop(),
      () => {},
    ),
  );
  const parts = await opening;
  void parts.lost.then((how) => ending.reach(new Error(how)));
  say('Preparing schema and contracts …');
  const membership = await enterDatabase(parts.databaseUrl, ending.reach);
  await closers.opened(membership.leave);

  const port = settings.port === 0 ? await freePort() : settings.port;
  const publicUrl = settings.publicUrl ?? `http://localhost:${port}`;
  const { databaseUrl, rpcUrls } = parts;
  const rpc = connectRpc(rpcUrls);
  const ensureGas = parts.giveEther?.(rpc) ?? requireEther(rpc, log);
  const development = isDevelopment({ ...settings, embedded: parts.embedded, publicUrl });
  const { self } = membership;
  const where = { databaseUrl, rpcUrls, publicUrl, self, development, ...(parts.onSent && { onSent: parts.onSent }) };
  const { service, drained, close } = await openService(settings, where, log, ensureGas);
  await closers.opened(close);
  parts.followedBy?.(async () => (await readCursor(service.db))?.number ?? null);
  await warnOfReadableKey(settings, say);
  const jobs = await startJobs(service, ending.reach);
  await closers.opened(jobs.stop);
  await membership.handOver();
  await closers.opened(drained);

  const http = await openHttp(service, port);
  await closers.opened(() => closeHttp(http));
  const metrics = await openMetrics(service);
  if (metrics) await closers.opened(() => closeHttp(metrics));
  await writeRunning(settings.dataDir, {
    publicUrl,
    ...(parts.embedded.database && { databaseUrl }),
    ...(parts.embedded.chain && { rpcUrls }),
    ...(development && { development }),
  });
  await closers.opened(() => removeRunning(settings.dataDir));

  const tryOut = (await addTryOut?.(service, parts, closers, ending.signal)) ?? null;
  await closers.opened(() => drain(service, ending, say));
  markStarted(service);
  say(startScreen(service, parts, tryOut, (performance.now() - began) / 1000));
}

/** Resolves to whether `work` has settled in time. */
async function within(milliseconds: number, work: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(resolve, milliseconds, false);
  });
  const settled = work.then(() => true as const);
  return Promise.race([settled, late]).finally(() => clearTimeout(timer));
}

async function warnOfReadableKey(settings: Settings, say: (line: string) => void): Promise<void> {
  const path = masterKeyPath(settings);
  if (!settings.masterKey && (await othersMayRead(path))) {
    say(`Warning: other users of this machine may read the master key ${path}. Run: chmod 600 ${path}`);
  }
}

async function openHttp(service: Service, port: number): ReturnType<typeof createHttpServer> {
  const { host } = service.settings;
  const http = await createHttpServer(service);
  try {
    await registerPages(http, service);
    await listen(http, { host, port, setting: 'PORT' });
    return http;
  } catch (error) {
    await http.close();
    throw error;
  }
}

/** Returns null if `/metrics` has no port of its own. */
async function openMetrics(service: Service): Promise<Awaited<ReturnType<typeof createMetricsServer>> | null> {
  const { metrics, metricsPort: port, metricsHost: host } = service.settings;
  if (port === undefined || metrics === 'off') return null;
  const server = await createMetricsServer(service);
  try {
    await listen(server, { host, port, setting: 'METRICS_PORT' });
    return server;
  } catch (error) {
    await server.close();
    throw error;
  }
}
