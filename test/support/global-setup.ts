import { startTestPostgres } from './postgres.ts';

/** Each test file is a process that loads most of the service: what was compiled once need not be again. */
const COMPILED = new URL('../../node_modules/.cache/quarters-tests', import.meta.url).pathname;

let stop: (() => Promise<void>) | undefined;

/** One PostgreSQL for the whole run; every test takes a database of its own from it. */
export async function globalSetup(): Promise<void> {
  const postgres = await startTestPostgres();
  stop = postgres.stop;
  process.env.QUARTERS_TEST_POSTGRES = postgres.url;
  process.env.NODE_COMPILE_CACHE ??= COMPILED;
}

export async function globalTeardown(): Promise<void> {
  await stop?.();
}
