/**
 * What an emulator needs at the least, for `emulator.ts`: its PostgreSQL and its node are started as it starts them, while the modules of the
 * service are loaded. Says when that is done. Each question is answered with how long a reset of both takes by itself, in milliseconds.
 */
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { peakMegabytes } from './processor-time.ts';

// As bin/quarters.mjs has it.
enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/quarters'));
const [{ temporaryFolder }, { openEmulatorParts }, { findPrepared }, { makeThrowawayFolder }, { openClosers }] =
  await Promise.all([
    import('../local/emulator/emulator.ts'),
    import('../local/emulator/parts.ts'),
    import('../local/emulator/prepared.ts'),
    import('../local/emulator/throwaway-folder.ts'),
    import('../src/process/shutdown.ts'),
  ]);

const closers = openClosers((error) => process.stderr.write(`${(error as Error).message}\n`));
const prepared = await findPrepared(['', ''], () => {
  throw new Error('An emulator has to be started before.');
});
const folder = await makeThrowawayFolder(join(temporaryFolder(), 'quarters-emulator-'));
await closers.opened(folder.remove);
const { promise: started, resolve } = Promise.withResolvers<void>();
const opening = openEmulatorParts(folder.path, prepared, closers, resolve);
await Promise.race([started, opening]);
await import('../local/emulator/world.ts');
await Promise.all([import('../local/emulator/interventions.ts'), import('../local/emulator/control/server.ts')]);
const { databaseUrl, rpc } = await opening;
const { default: pg } = await import('pg');
const database = new pg.Client({ connectionString: databaseUrl });
await database.connect();

async function reset(): Promise<number> {
  const snapshot = await rpc.call('evm_snapshot', []);
  await rpc.call('evm_mine', []);
  const began = performance.now();
  await Promise.all([rpc.call('evm_revert', [snapshot]), database.query(`SELECT emulator.bring_back('kept start')`)]);
  return performance.now() - began;
}

process.on('message', async () => process.send?.(await reset()));
process.on('disconnect', async () => {
  await database.end();
  await closers.close();
});
process.send?.({ megabytes: peakMegabytes(process.pid) });
