import { runProgram } from '../src/process/run-program.ts';
import { WINGS } from '../src/wings.ts';
import { emulator } from './emulator/wing.ts';

// What `npm start` runs: the same command line, which brings a database, a chain and a game where they are not given.
await runProgram([...WINGS, emulator], async () => {
  const { giveEther, migrateDatabase, openLocalParts } = await import('./parts.ts');
  const { addTryOut } = await import('./try-out.ts');
  return { openParts: openLocalParts, migrate: migrateDatabase, giveEther, addTryOut };
});
