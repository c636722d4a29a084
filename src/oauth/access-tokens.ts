import type { AppId, UserId } from '../base/ids.ts';
import type { Query } from '../db/database.ts';
import { findRecord } from './records.ts';

export type AccessTokenUse = {
  readonly userId: UserId;
  readonly appId: AppId;
  /** Space-separated. */
  readonly scope: string;
  readonly expired: boolean;
};

/** The user, app and scopes of an access token; null if it is unknown or revoked. One indexed read. */
export async function findAccessToken(db: { query: Query }, secret: string): Promise<AccessTokenUse | null> {
  const record = await findRecord(db, 'AccessToken', secret);
  const { accountId, clientId, scope = '' } = record?.payload ?? {};
  if (!record || !accountId || !clientId) return null;
  return { userId: accountId as UserId, appId: clientId as AppId, scope, expired: record.expiresAt <= new Date() };
}
