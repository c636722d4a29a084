import { runProgram } from '../src/run-program.ts';
import { migrateDatabase, openLocalParts } from './parts.ts';
import { addTryOut } from './try-out.ts';

// What `npm start` runs: the same command line, which brings a database, a chain and a game where they are not given.
await runProgram({ openParts: openLocalParts, migrate: migrateDatabase, addTryOut });
