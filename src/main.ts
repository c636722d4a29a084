import { runProgram } from './process/run-program.ts';
import { WINGS } from './wings.ts';

// The service on a given database and chain. `npm start` runs local/main.ts, which brings what is not given.
await runProgram(WINGS, async () => {
  const { migrateGiven, openGivenParts } = await import('./process/parts.ts');
  return { openParts: openGivenParts, migrate: migrateGiven };
});
