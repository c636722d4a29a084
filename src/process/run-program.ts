import cluster from 'node:cluster';
import { lazily } from '../base/lazily.ts';
import { EXIT_CODES } from '../cli/exit-codes.ts';
import { runCli } from '../cli/run.ts';
import { parseWings } from '../config/wings.ts';
import type { MigrateOptions } from '../db/migrate.ts';
import { type House, houseOf, type Wing } from '../service/house.ts';
import { WORKERS } from './additions.ts';
import type { Program } from './program.ts';
import { endIfHeldOpen, onEndSignals } from './shutdown.ts';

/** Runs the command line of this process. The service is loaded when a command needs it, because loading takes longer than `--help`. */
export async function runProgram(wings: readonly Wing[], loadProgram: () => Promise<Program>): Promise<void> {
  const context = {
    house: lazily(() => houseIn(process.env, wings)),
    async start({ lan = false } = {}) {
      const { readSettings } = await import('../config/read-settings.ts');
      const { openLog } = await import('./logging.ts');
      const { start } = await import('./start.ts');
      // A worker has the environment and the arguments of the process that started it.
      if (lan && !cluster.isWorker) Object.assign(process.env, (await import('./lan.ts')).lanEnvironment(process.env));
      const settings = readSettings(process.env);
      const house = houseOf(wings, settings.wings);
      if (cluster.isWorker) {
        const work = await house.of(WORKERS)[0]?.loadWorker();
        return work?.(settings, await openLog(settings), await loadProgram(), house);
      }
      await start(settings, await openLog(settings), process.stdout, { ...(await loadProgram()), isLan: lan }, house);
    },
    async migrate(options?: MigrateOptions) {
      const { readSettings } = await import('../config/read-settings.ts');
      const { migrate } = await loadProgram();
      return migrate(readSettings(process.env), options);
    },
    async connect() {
      const { readSettings } = await import('../config/read-settings.ts');
      const { commandLevel, openLog } = await import('./logging.ts');
      const { connect } = await import('./connect.ts');
      const settings = readSettings(process.env);
      return connect(settings, await openLog({ logLevel: commandLevel(settings) }), houseOf(wings, settings.wings));
    },
    async findSubject() {
      const { findSubject } = await import('./connect.ts');
      return findSubject(process.env, wings);
    },
    untilStopped() {
      const stopping = new AbortController();
      onEndSignals(
        () => stopping.abort(),
        () => process.exit(EXIT_CODES.interrupted.code),
      );
      return stopping.signal;
    },
    in: process.stdin,
    out: process.stdout,
    err: process.stderr,
  };
  process.exitCode = await runCli(context, process.argv.slice(2));
  endIfHeldOpen();
}

/** For the names of commands. A wrong setting is reported with all others, by what needs it: until then there are all wings. */
function houseIn({ WINGS }: NodeJS.ProcessEnv, wings: readonly Wing[]): House {
  try {
    return houseOf(wings, parseWings(WINGS?.trim() || 'all'));
  } catch {
    return houseOf(wings);
  }
}
