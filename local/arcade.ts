import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { basesOf } from '../src/config/bases.ts';
import { isLoopback } from '../src/config/development.ts';
import { updateApp } from '../src/features/apps/update-app.ts';
import { lookUpApp } from '../src/identity/apps.ts';
import { OPERATOR } from '../src/service/managers.ts';
import type { Service } from '../src/service/service.ts';
import { startChild } from './child.ts';
import type { DemoApp } from './demo-app.ts';
import { repeatStep } from './repeat-step.ts';

const SERVER = fileURLToPath(new URL('../examples/arcade/server.ts', import.meta.url));

/** Limits the wait for the game's address. The service's start waits too, so this is far more than the game needs. */
const START_MS = 20_000;
/** Characters of its output to keep: enough for the line with its address. */
const KEPT_OUTPUT = 1_000;

export type RunningArcade = { readonly origin: string; stop(): Promise<void> };

/**
 * Starts the example game and registers its addresses with the demo app. The game runs in a process of its own, like any
 * game's server, and knows nothing of ours but the demo app's credentials.
 *
 * Returns null and logs a warning if the game has not started when `late` resolves. Aborting `ended` stops the game; if this
 * function throws, the game is stopped too.
 */
export async function startArcade(
  service: Service,
  demo: DemoApp,
  ended: AbortSignal,
  { server = SERVER, late = delay(START_MS, null, { ref: false }) as Promise<unknown> } = {},
): Promise<RunningArcade | null> {
  const { settings, publicUrl, log } = service;
  const { api, devApi } = basesOf(settings, publicUrl);
  let opened: (origin: string) => void = () => {};
  const origin = new Promise<string>((resolve) => {
    opened = resolve;
  });
  let output = '';
  const child = await startChild({
    command: process.execPath,
    args: [server],
    env: {
      PATH: process.env.PATH,
      QUARTERS_URL: publicUrl,
      QUARTERS_API_URL: api,
      QUARTERS_DEV_API_URL: devApi,
      QUARTERS_APP_ID: demo.id,
      QUARTERS_APP_ADDRESS: demo.address,
      QUARTERS_SERVER_KEY: demo.serverKey,
      QUARTERS_CLIENT_SECRET: demo.clientSecret,
      ARCADE_PORT: String(settings.arcadePort),
      // A phone that reaches the pages has to reach the game.
      ...(!isLoopback(new URL(publicUrl).hostname) && { ARCADE_HOST: new URL(publicUrl).hostname }),
      ARCADE_PLAYERS_FILE: join(settings.dataDir, 'arcade-players.json'),
    },
    graceMs: 3_000,
    stopOn: ended,
    onOutput(text) {
      output = (output + text).slice(-KEPT_OUTPUT);
      const found = /open at (http:\S+)\n/.exec(output);
      if (found) opened(found[1]!);
    },
  });
  const started = await Promise.race([origin, child.exited, late]);
  if (typeof started !== 'string') {
    await child.stop();
    ended.throwIfAborted();
    log.warn({ output: child.lastOutput() }, 'the example game did not start');
    return null;
  }
  try {
    await repeatStep(() => register(service, demo, started), { log, ended });
  } catch (error) {
    await child.stop();
    throw error;
  }
  let stopping = false;
  void child.exited.then((exit) => {
    if (!stopping && !ended.aborted)
      log.warn({ ...exit, output: child.lastOutput() }, 'the example game ended by itself');
  });
  return {
    origin: started,
    async stop() {
      stopping = true;
      await child.stop();
    },
  };
}

/** Replaces the addresses of an earlier start, which may have had another port. Other registered addresses stay. */
async function register(service: Service, { id }: DemoApp, origin: string): Promise<void> {
  const app = await lookUpApp(service.db, id);
  if (!app) return;
  const others = (addresses: readonly string[]) =>
    addresses.filter((address) => !/^http:\/\/\d+\.\d+\.\d+\.\d+:/.test(address));
  await updateApp(service, OPERATOR, id, {
    redirectUris: [...others(app.redirectUris), `${origin}/back`],
    frameAncestors: [...others(app.frameAncestors), origin],
    resultOrigins: [...others(app.resultOrigins), origin],
  });
}
