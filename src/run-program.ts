import { runCli } from './cli/run.ts';
import { readSettings } from './config/read-settings.ts';
import type { Settings } from './config/settings.ts';
import { connect } from './connect.ts';
import { openLog } from './logging.ts';
import { endIfHeldOpen } from './shutdown.ts';
import { type Surroundings, start } from './start.ts';

/** Runs the command line of this process. `migrate` brings the schema up to date. */
export async function runProgram(
  surroundings: Surroundings & { readonly migrate: (settings: Settings) => Promise<{ applied: string[] }> },
): Promise<void> {
  const context = {
    async start() {
      const settings = readSettings(process.env);
      await start(settings, openLog(settings), process.stdout, surroundings);
    },
    migrate: async () => surroundings.migrate(readSettings(process.env)),
    async connect() {
      const settings = readSettings(process.env);
      return connect(settings, openLog(settings));
    },
    untilStopped() {
      const stopping = new AbortController();
      // Once: a second signal ends the process at once.
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort());
      return stopping.signal;
    },
    in: process.stdin,
    out: process.stdout,
    err: process.stderr,
  };
  process.exitCode = await runCli(context, process.argv.slice(2));
  endIfHeldOpen();
}
