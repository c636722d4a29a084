import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { AppId, UserId } from '../../../src/base/ids.ts';
import { newSecret } from '../../../src/base/secrets.ts';
import type { Scope } from '../../../src/identity/callers.ts';
import { storeRecord } from '../../../src/oauth/records.ts';
import type { Service } from '../../../src/service/service.ts';

/** An access token as OAuth issues it. */
export async function tokenWith(
  { db }: Service,
  userId: UserId,
  appId: AppId,
  scopes: readonly Scope[],
): Promise<string> {
  const token = newSecret('OAuth access token');
  const grantId = randomUUID();
  const until = new Date(Date.now() + 3_600_000);
  const payload = { accountId: userId, clientId: appId, scope: scopes.join(' ') };
  await storeRecord(db, 'Grant', grantId, payload, until);
  assert.ok(await storeRecord(db, 'AccessToken', token, { ...payload, kind: 'AccessToken', grantId }, until));
  return token;
}
