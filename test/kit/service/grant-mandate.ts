import type { AppId, UserId } from '../../../src/base/ids.ts';
import type { Queries } from '../../../src/db/database.ts';
import { type MandateLimits, storeMandateChoice } from '../../../src/identity/mandates.ts';

/** A player lets an app take quarters without asking. */
export async function grantMandate(
  db: Queries,
  { userId, appId, ...limits }: MandateLimits & { readonly userId: UserId; readonly appId: AppId },
): Promise<void> {
  await storeMandateChoice(db, { userId, appId }, { limits, asksAlways: false });
}
