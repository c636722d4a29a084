import { randomBytes } from 'node:crypto';
import { type AppId, type CallId, lowestIdAt } from '../../src/base/ids.ts';
import type { Database } from '../../src/db/database.ts';
import type { CallCount } from '../../src/wings/call-log/store/call-hours.ts';
import { type NewCall, storeCalls } from '../../src/wings/call-log/store/calls.ts';

/** The id of a call that began at that moment. */
export function callIdAt(date: Date): CallId {
  return (lowestIdAt(date).slice(0, 24) + randomBytes(6).toString('hex')) as CallId;
}

/** Stores calls of an app as if they had been made at those moments. */
export async function insertCalls(
  db: Database,
  appId: AppId,
  calls: readonly (Partial<NewCall> & { readonly at: Date })[],
  counts: readonly CallCount[] = [],
): Promise<CallId[]> {
  const rows = calls.map(({ at, ...call }) => ({
    id: callIdAt(at),
    appId,
    milliseconds: 3.2,
    status: 200,
    method: 'GET',
    route: '/v1/me',
    code: null,
    fields: null,
    keyId: null,
    userId: null,
    idempotency: null,
    paymentId: null,
    about: null,
    ...call,
  }));
  await db.transaction((tx) => storeCalls(tx, rows, counts));
  return rows.map(({ id }) => id);
}
