import type { AppId } from '../../base/ids.ts';
import type { Tx } from '../../db/database.ts';
import { waitForWriters } from '../../db/writers.ts';
import { storeSuspended } from '../../identity/app-suspension.ts';
import { lockApp } from '../../identity/apps.ts';
import { storeFreeze } from '../../ledger/frozen-accounts.ts';
import { noSuchApp } from '../../service/managers.ts';
import type { Service } from '../../service/service.ts';
import { checkedReason, type StateChange } from '../accounts/freeze.ts';

/** `reason`: the operator's note, for operators only. Both are null while the app is not suspended. */
export type AppSuspension = { readonly suspendedAt: Date | null; readonly reason: string | null };

/**
 * Suspends an app for a reason that only operators see (1 to 500 characters): its keys, tokens and OAuth flows do nothing from the COMMIT
 * on, and no quarters move to it or from it. All of them stay, with its quarters, for {@link resumeApp}. Transfers accepted before still
 * settle, and their events are delivered. Await {@link finishSuspension} after the COMMIT.
 */
export function suspendApp(tx: Tx, appId: AppId, reason: string): Promise<StateChange<AppSuspension>> {
  return change(tx, appId, checkedReason(reason));
}

/** Lifts it: everything works as before. Await {@link finishSuspension} after the COMMIT. */
export function resumeApp(tx: Tx, appId: AppId): Promise<StateChange<AppSuspension>> {
  return change(tx, appId, null);
}

/** Locks the app and then its account, in the documented order. */
async function change(tx: Tx, appId: AppId, reason: string | null): Promise<StateChange<AppSuspension>> {
  const app = await lockApp(tx, appId);
  const account = app && (await storeFreeze(tx, { kind: 'app', appId }, reason));
  if (!account) throw noSuchApp(appId);
  const { suspendedAt } = app;
  const isSame = (suspendedAt === null) === (reason === null);
  return {
    before: { suspendedAt, reason: account.before.reason },
    after: {
      suspendedAt: isSame ? suspendedAt : await storeSuspended(tx, appId, reason !== null),
      reason: account.after.reason,
    },
  };
}

/** What may have been read before the suspension: payments look at the app's account, and all that is made for an app at the app. */
const READ_BY_OTHERS = ['accounts', 'apps'];

/**
 * After the COMMIT of a change: records it in the security log, and resolves once nothing more can be accepted for a suspended app.
 *
 * Payments by the app lock its account, so they come before the suspension or after it. Payments to the app lock their own payers only,
 * as one lock for all of an app's players would slow them down. A few that are being decided at this moment may have read the app's
 * account before. So this waits until they have ended, some milliseconds. Repeating it is harmless.
 */
export async function finishSuspension(
  { db, security }: Pick<Service, 'db' | 'security'>,
  appId: AppId,
  { before, after }: StateChange<AppSuspension>,
): Promise<void> {
  if (before.suspendedAt !== after.suspendedAt) {
    security.note(after.suspendedAt ? 'app-suspended' : 'app-resumed', { appId });
  }
  if (after.suspendedAt) await waitForWriters(db, READ_BY_OTHERS);
}
