import type { TestContext } from 'node:test';
import type { Service } from '../../../src/service/service.ts';

/**
 * From now on, what the service logs as its own error in answering a request. Nothing of its loops, which report at any moment what other
 * tests have done to a shared database.
 */
export function failedRequests(t: TestContext, { log }: Pick<Service, 'log'>): () => readonly object[] {
  const error = t.mock.method(log, 'error');
  return () =>
    error.mock.calls.map(({ arguments: [entry] }) => entry as object).filter((entry) => 'requestId' in entry);
}
