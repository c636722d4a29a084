import { pino } from 'pino';
import pretty from 'pino-pretty';
import { connect } from './boot/connect.ts';
import { migrateDatabase } from './boot/migrate-database.ts';
import { start } from './boot/start.ts';
import { runCli } from './cli/run.ts';
import { readSettings } from './config/read-settings.ts';
import type { Settings } from './config/settings.ts';
import { endIfHeldOpen } from './process/held-open.ts';

/** Lines of JSON for machines, readable ones for a terminal; on the error stream, apart from what commands print. */
function openLog(settings: Settings) {
  const options = { level: settings.logLevel, base: null };
  return process.stderr.isTTY
    ? pino(options, pretty({ destination: 2, sync: true, ignore: 'pid,hostname' }))
    : pino(options, pino.destination({ fd: 2, sync: true }));
}

const context = {
  async start() {
    const settings = readSettings(process.env);
    await start(settings, openLog(settings), process.stdout);
  },
  migrate: async () => migrateDatabase(readSettings(process.env)),
  async connect() {
    const settings = readSettings({ LOG_LEVEL: 'warn', ...process.env });
    return connect(settings, openLog(settings));
  },
  out: process.stdout,
  err: process.stderr,
};
process.exitCode = await runCli(context, process.argv.slice(2));
endIfHeldOpen();
