import { runCli } from './cli/run.ts';
import { readSettings } from './config/read-settings.ts';
import { connect } from './connect.ts';
import { openLog } from './logging.ts';
import { migrateGiven, openGivenParts } from './parts.ts';
import { endIfHeldOpen } from './shutdown.ts';
import { start } from './start.ts';

// The service on a given database and chain. `npm start` runs local/main.ts, which brings what is not given.
const context = {
  async start() {
    const settings = readSettings(process.env);
    await start(settings, openLog(settings), process.stdout, { openParts: openGivenParts });
  },
  migrate: async () => migrateGiven(readSettings(process.env)),
  async connect() {
    const settings = readSettings(process.env);
    return connect(settings, openLog(settings));
  },
  out: process.stdout,
  err: process.stderr,
};
process.exitCode = await runCli(context, process.argv.slice(2));
endIfHeldOpen();
