import type { Logger } from 'pino';
import { connectRpc } from '../chain/rpc.ts';
import type { Settings } from '../config/settings.ts';
import { registerConsole } from '../console/console.ts';
import { masterKeyPath, othersMayRead } from '../custody/master-key-file.ts';
import { migrate } from '../db/migrate.ts';
import { closeHttp } from '../http/close.ts';
import { createHttpServer } from '../http/server.ts';
import { registerPages } from '../pages/pages.ts';
import { lockFolder } from '../process/folder-lock.ts';
import { freePort } from '../process/free-port.ts';
import { giveEther, requireEther } from '../usecases/system/ensure-gas.ts';
import { openService } from '../usecases/system/open-service.ts';
import { startWorker } from '../worker/worker.ts';
import { startArcade } from './arcade.ts';
import { demoApp } from './demo-app.ts';
import { openParts } from './embedded-parts.ts';
import { removeRunning, writeRunning } from './running-file.ts';
import { startScreen } from './start-screen.ts';

/** Runs once, last opened first closed, whatever was opened by then. */
type Closers = (() => Promise<void> | void)[];

/**
 * Starts the whole service and resolves when it has stopped again: on Ctrl-C (SIGINT) or SIGTERM, or, with an error, when a
 * part it can not do without is lost. Throws readable Errors; what was started by then is stopped.
 */
export async function start(settings: Settings, log: Logger, out: NodeJS.WritableStream): Promise<void> {
  const began = performance.now();
  const closers: Closers = [];
  const stopping = stopSignal();
  const say = (line: string) => out.write(`${line}\n`);
  try {
    const lock = await lockFolder(settings.dataDir);
    closers.push(lock.release);
    say('Starting database and chain …');
    const parts = await openParts(settings, say);
    closers.push(parts.stop);
    say('Preparing schema and contracts …');
    await migrate(parts.databaseUrl);

    const port = settings.port === 0 ? await freePort() : settings.port;
    const publicUrl = settings.publicUrl ?? `http://localhost:${port}`;
    const { databaseUrl, rpcUrls, onSent } = parts;
    const rpc = connectRpc(rpcUrls);
    const ensureGas = parts.embedded.chain ? giveEther(rpc) : requireEther(rpc, log);
    const { service, drained, close } = await openService(
      settings,
      { databaseUrl, rpcUrls, onSent, publicUrl },
      log,
      ensureGas,
    );
    closers.push(close);
    await warnOfReadableKey(settings, say);
    const worker = await startWorker(service);
    closers.push(worker.stop, drained);

    const http = await createHttpServer(service);
    await registerPages(http, service);
    await registerConsole(http, service);
    closers.push(() => closeHttp(http));
    await listen(http, settings.host, port);
    await writeRunning(settings.dataDir, {
      publicUrl,
      ...(parts.embedded.database && { databaseUrl }),
      ...(parts.embedded.chain && { rpcUrls }),
    });
    closers.push(() => removeRunning(settings.dataDir));

    const wanted =
      settings.demo === 'on' || (settings.demo === 'auto' && parts.embedded.database && parts.embedded.chain);
    // While payments are suspended nothing can be given to it.
    const demo = wanted && !service.readiness.suspended ? await demoApp(service) : null;
    const arcade = demo && (await startArcade(service, demo));
    if (arcade) closers.push(arcade.stop);
    say(startScreen(service, parts, demo, arcade?.origin ?? null, (performance.now() - began) / 1000));
    const lost = await Promise.race([stopping, parts.lost]);
    if (lost) throw new Error(lost);
    say('Stopping …');
  } finally {
    for (const close of closers.reverse()) {
      await Promise.resolve(close()).catch((error) => log.error({ err: error }, 'a part did not stop in order'));
    }
  }
}

async function warnOfReadableKey(settings: Settings, say: (line: string) => void): Promise<void> {
  const path = masterKeyPath(settings);
  if (!settings.masterKey && (await othersMayRead(path))) {
    say(`Warning: other users of this machine may read the master key ${path}: chmod 600 it.`);
  }
}

async function listen(http: Awaited<ReturnType<typeof createHttpServer>>, host: string, port: number): Promise<void> {
  await http.listen({ host, port }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EADDRINUSE')
      throw new Error(`Port ${port} is in use: set PORT to another one (0 takes a free one).`);
    throw new Error(`Port ${port} on ${host} can not be opened: ${error.message}`);
  });
}

/** Resolves at the first Ctrl-C or SIGTERM; a second one ends the process at once. */
function stopSignal(): Promise<null> {
  return new Promise((resolve) => {
    let asked = false;
    const ask = () => {
      if (asked) process.exit(130);
      asked = true;
      resolve(null);
    };
    process.on('SIGINT', ask);
    process.on('SIGTERM', ask);
  });
}
