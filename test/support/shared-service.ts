import type { TestContext } from 'node:test';
import { atEnd, everyTest } from './at-end.ts';
import { assertAsDescribed } from './response-validator.ts';
import { startTestService, type TestService } from './service.ts';

type Options = { readonly env?: Record<string, string>; readonly development?: true };

const started = new Map<string, Promise<TestService>>();

/**
 * Tests of this process share this service, one for each set of options. It is settled when a test gets it, but
 * contains the data of earlier tests. A test that looks at all rows of a table, or changes or stops the service, starts
 * its own.
 */
export async function sharedService(t: TestContext, options: Options = {}): Promise<TestService> {
  const key = JSON.stringify(options);
  const starting = started.get(key) ?? startTestService(everyTest, options);
  started.set(key, starting);
  const service = await starting;
  await service.settled();
  // An answer that does not match its description fails the test that got it.
  atEnd(t, () => assertAsDescribed(service.app));
  return service;
}
