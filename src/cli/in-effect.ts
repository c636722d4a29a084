import type { Service } from '../service/service.ts';

/** What calls lock or write when they change something. */
const CHANGED_BY_CALLS = [
  ...['accounts', 'requests', 'apps', 'app_keys', 'users', 'guest_tokens', 'oauth_records', 'mandates', 'consents'],
  ...['webhook_endpoints', 'deliveries', 'withdrawal_addresses', 'operators'],
] as const;

/**
 * Waits until what a command has changed holds for everything, in all processes. They read who may do what for each call anew. So only
 * what was being decided when the command committed may still go by what was true before: some milliseconds.
 */
export async function untilInEffect({ db }: Pick<Service, 'db'>, err: NodeJS.WritableStream): Promise<void> {
  const { waitForWriters } = await import('../db/writers.ts');
  try {
    await waitForWriters(db, CHANGED_BY_CALLS);
  } catch (error) {
    // What is printed may be a secret, which is shown once.
    err.write(`It is done, but may not hold yet for what began before: ${(error as Error).message}\n`);
  }
}
