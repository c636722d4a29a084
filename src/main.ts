import { migrateGiven, openGivenParts } from './parts.ts';
import { runProgram } from './run-program.ts';

// The service on a given database and chain. `npm start` runs local/main.ts, which brings what is not given.
await runProgram({ openParts: openGivenParts, migrate: migrateGiven });
