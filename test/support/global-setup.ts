import { startTestPostgres } from './postgres.ts';

let stop: (() => Promise<void>) | undefined;

/** One PostgreSQL for the whole run; every test takes a database of its own from it. */
export async function globalSetup(): Promise<void> {
  const postgres = await startTestPostgres();
  stop = postgres.stop;
  process.env.QUARTERS_TEST_POSTGRES = postgres.url;
}

export async function globalTeardown(): Promise<void> {
  await stop?.();
}
