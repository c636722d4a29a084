import type { TestContext } from 'node:test';
import { isProtected } from '../../../scripts/test-plan.ts';
import { ENTRY } from '../run/entry.ts';
import { atEnd, everyTest } from '../unit/at-end.ts';
import { assertAsDescribed } from '../unit/response-validator.ts';
import { startTestService, type TestService } from './service.ts';

type Options = { readonly env?: Record<string, string>; readonly development?: true };

type Shared = { readonly service: Promise<TestService>; users: number };

/**
 * Few connections where nothing races: to open one and to plan its statements costs more than to wait for another. Tests of races hold
 * some, and need the others.
 */
const CONNECTIONS = isProtected(ENTRY) ? {} : { maxConnections: 4 };

const shared = new Map<string, Shared>();

/**
 * Tests of this process share this service, one for each set of options. It is settled when a test gets it, but
 * contains the data of earlier tests. It ends when no test uses it and another one is asked for. A test that looks at all
 * rows of a table, or changes or stops the service, starts its own.
 */
export async function sharedService(t: TestContext, options: Options = {}): Promise<TestService> {
  const key = JSON.stringify(options);
  const own = shared.get(key) ?? { service: startTestService(everyTest, { ...options, ...CONNECTIONS }), users: 0 };
  shared.set(key, own);
  own.users++;
  atEnd(t, () => own.users--);
  await endOthers();
  const service = await own.service;
  await service.settled();
  // An answer that does not match its description fails the test that got it.
  atEnd(t, () => assertAsDescribed(service.app));
  return service;
}

/** Ends the services that no test uses now: an idle one costs a fiftieth of a processor, and a start a fifth of a second. */
async function endOthers(): Promise<void> {
  for (const [key, { service, users }] of shared) {
    if (users > 0) continue;
    shared.delete(key);
    // One that failed to start has failed its test.
    await service.then(
      (one) => one.stop(),
      () => {},
    );
  }
}
