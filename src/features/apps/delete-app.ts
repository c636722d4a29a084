import type { AppId } from '../../base/ids.ts';
import { invalidInput } from '../../base/problems.ts';
import type { Quarters } from '../../base/quarters.ts';
import type { Tx } from '../../db/database.ts';
import { endKeysFor } from '../../identity/app-keys.ts';
import { deleteTeam, managerAddresses } from '../../identity/app-members.ts';
import { storeDeletion } from '../../identity/apps.ts';
import { revokeConsentsFor } from '../../identity/consents.ts';
import { revokeGuestTokensFor } from '../../identity/guest-tokens.ts';
import { revokeMandatesFor } from '../../identity/mandates.ts';
import { available, guestHoldings, lookUpAccountOfApp } from '../../ledger/accounts.ts';
import { deleteRecordsFor } from '../../oauth/records.ts';
import { recordChange } from '../../operator-log/record.ts';
import { findPendingRequestsOfApp } from '../../requests/requests.ts';
import { changeAs } from '../../service/change-as.ts';
import { type AppManager, appFor, type ManagedApp } from '../../service/managers.ts';
import type { Service } from '../../service/service.ts';
import { refuseInTheDark } from '../../settlement/may-act.ts';
import { transitionRequests } from '../../settlement/transition-requests.ts';
import { deleteEndpointsOf } from '../../webhooks/webhook-endpoints.ts';
import type { WriteMail } from '../mails/mail-layout.ts';
import { queueMail } from '../mails/mails.ts';
import { nameInMail } from '../mails/name-in-mail.ts';
import { appFacts } from './record-app-change.ts';

/** What somebody should know before they delete an app. */
export type AppDeletion = {
  readonly app: ManagedApp;
  /** What the app's account can spend now. Nobody can once the app is deleted. */
  readonly balance: Quarters;
  /** Guests with quarters, and how much they have. Only this app reaches them. */
  readonly guests: number;
  readonly guestQuarters: Quarters;
};

export async function prepareAppDeletion(
  { db }: Pick<Service, 'db'>,
  caller: AppManager,
  id: string,
): Promise<AppDeletion> {
  const app = await appFor({ db }, caller, id, 'delete');
  const [account, { guests, quarters }] = await Promise.all([
    lookUpAccountOfApp(db, app.id),
    guestHoldings(db, app.id),
  ]);
  return { app, balance: available(account!), guests, guestQuarters: quarters };
}

/**
 * Deletes an app for good, in one transaction: all keys, tokens and spending limits end, players' open requests are cancelled, and nothing
 * new can be made for it. Payments on their way still settle. The app's row, account, quarters and history stay, for players' activity, the
 * ledger and the operator. `typedName`: what a developer confirmed with; an operator need not.
 *
 * Throws `invalid-input` for another name.
 */
export async function deleteApp(
  service: Pick<Service, 'db' | 'security' | 'vault' | 'settings' | 'languages' | 'readiness'>,
  caller: AppManager,
  id: string,
  typedName?: string,
): Promise<void> {
  const app = await appFor(service, caller, id, 'delete');
  refuseInTheDark(service);
  if (caller.kind === 'developer' && typedName?.trim() !== app.name) {
    throw invalidInput('/name', `must be the name of the app: ${app.name}`);
  }
  await changeAs(service, caller, app, 'delete', async (tx) => {
    const informed = await managerAddresses(tx, app.id);
    await storeDeletion(tx, app.id);
    await recordChange(tx, { action: 'app-deleted', subject: { kind: 'app', id: app.id }, before: appFacts(app) });
    await endAccess(tx, app.id, caller.kind === 'developer' ? `user:${caller.session.userId}` : 'operator');
    const name = nameInMail(app.name);
    const write: WriteMail = ({ mails: { appDeleted: says } }) => ({
      subject: says.subject(name),
      parts: [says.gone(name), says.kept],
    });
    for (const to of informed) await queueMail(service, tx, { to, write });
  });
  service.security.note('app-deleted', { appId: app.id });
}

/** Locks rows in the documented order: app keys, app members, requests, mandates, consents, guest tokens, OAuth records. */
async function endAccess(tx: Tx, id: AppId, actor: 'operator' | `user:${string}`): Promise<void> {
  await endKeysFor(tx, id);
  await deleteTeam(tx, id);
  await deleteEndpointsOf(tx, id);
  await transitionRequests(tx, await findPendingRequestsOfApp(tx, id), 'cancel', actor);
  await revokeMandatesFor(tx, id);
  await revokeConsentsFor(tx, id);
  await revokeGuestTokensFor(tx, id);
  await deleteRecordsFor(tx, id);
}
