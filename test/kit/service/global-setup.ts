import { tmpdir } from 'node:os';
import { makeRunFolder } from '../run/run-folder.ts';
import { isOnEdr } from './edr.ts';
import { startTestPostgres } from './postgres.ts';
import { takeSnapshot } from './snapshot.ts';

/** Each test file is a process that loads most of the service, so compiled code is reused. */
const COMPILED = new URL('../../../node_modules/.cache/quarters-tests', import.meta.url).pathname;

/**
 * Starts one PostgreSQL for the whole run, in which every test has its own database, and makes one first start. Returns
 * a function that ends them.
 */
export async function globalSetup(): Promise<() => Promise<void>> {
  const removeFolder = makeRunFolder();
  let postgres: Awaited<ReturnType<typeof startTestPostgres>> | undefined;
  const stop = async () => {
    await postgres?.stop();
    removeFolder();
  };
  try {
    postgres = await startTestPostgres();
    process.env.QUARTERS_TEST_POSTGRES = postgres.url;
    process.env.NODE_COMPILE_CACHE ??= COMPILED;
    if (!isOnEdr) process.env.QUARTERS_TEST_CHAIN_STATE = await takeSnapshot(postgres.url, tmpdir());
  } catch (error) {
    await stop();
    throw error;
  }
  return stop;
}
