import { connect } from './boot/connect.ts';
import { openLog } from './boot/log.ts';
import { migrateDatabase } from './boot/migrate-database.ts';
import { start } from './boot/start.ts';
import { runCli } from './cli/run.ts';
import { readSettings } from './config/read-settings.ts';
import { endIfHeldOpen } from './process/held-open.ts';

const context = {
  async start() {
    const settings = readSettings(process.env);
    await start(settings, openLog(settings), process.stdout);
  },
  migrate: async () => migrateDatabase(readSettings(process.env)),
  async connect() {
    const settings = readSettings(process.env);
    return connect(settings, openLog(settings));
  },
  out: process.stdout,
  err: process.stderr,
};
process.exitCode = await runCli(context, process.argv.slice(2));
endIfHeldOpen();
