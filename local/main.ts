import { runCli } from '../src/cli/run.ts';
import { readSettings } from '../src/config/read-settings.ts';
import { connect } from '../src/connect.ts';
import { openLog } from '../src/logging.ts';
import { endIfHeldOpen } from '../src/shutdown.ts';
import { start } from '../src/start.ts';
import { migrateDatabase, openLocalParts } from './parts.ts';
import { addTryOut } from './try-out.ts';

// What `npm start` runs: the same command line, which brings a database, a chain and a game where they are not given.
const context = {
  async start() {
    const settings = readSettings(process.env);
    await start(settings, openLog(settings), process.stdout, { openParts: openLocalParts, addTryOut });
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
