import { setTimeout as delay } from 'node:timers/promises';
import { type AppId, type TransferId, uuidFrom } from '../../base/ids.ts';
import { invalidInput, Problem } from '../../base/problems.ts';
import { asQuarters } from '../../base/quarters.ts';
import { lastingKey } from '../../idempotency/keys.ts';
import { clearDueTestQuarters, type DueTestQuarters, listDueTestQuarters } from '../../identity/due-test-quarters.ts';
import { available, lookUpAccountOfApp } from '../../ledger/accounts.ts';
import { changeAs } from '../../service/change-as.ts';
import { idOfKey } from '../../service/keyed-ids.ts';
import { appFor, type Developer } from '../../service/managers.ts';
import type { Service } from '../../service/service.ts';
import { findTransfers } from '../../settlement/tables/transfers.ts';
import { issueQuarters } from '../payments/issue-quarters.ts';

/** What a new app gets in development mode, to try payments with. */
export const TEST_QUARTERS = asQuarters(10_000);

/** Gives an app as many again, in development mode. `formId`: that of the form, a UUID; sent twice, it gives them once. */
export async function giveMoreTestQuarters(
  service: Service,
  caller: Developer,
  id: string,
  formId: string,
): Promise<void> {
  const app = await appFor(service, caller, id, 'test-quarters');
  if (!service.development) throw new Problem('not-found', 'There are test quarters in development mode only.');
  const form = uuidFrom(formId);
  if (!form) throw invalidInput('/form', 'is not a UUID');
  // Each issue is an entry of the operator's log, so they are counted with the other changes.
  await changeAs(service, caller, app, 'test-quarters', async () => {});
  await issueQuarters(service, { recipient: app.id, amount: TEST_QUARTERS, key: `more test quarters ${form}` });
}

const AT_A_TIME = 20;

/**
 * Gives apps the test quarters that are due: those whose registration was interrupted, or happened while nothing could be issued.
 * Resolves with true if more may be due.
 */
export async function giveDueTestQuarters(service: Service): Promise<boolean> {
  const due = await listDueTestQuarters(service.db, AT_A_TIME);
  for (const one of due) await giveTestQuarters(service, one);
  return due.length === AT_A_TIME;
}

/** Gives a new app its test quarters. If that fails, a loop of the service gives them later. */
export async function tryToGiveTestQuarters(service: Service, due: DueTestQuarters): Promise<void> {
  try {
    await giveTestQuarters(service, due);
  } catch (error) {
    service.log.warn({ appId: due.appId, reason: (error as Error).message }, 'a new app gets its test quarters later');
  }
}

/** The embedded chain makes a block as soon as there is a transaction. */
const POSTED_WITHIN_MS = 15_000;
const LOOK_AGAIN_MS = 20;

/** Waits until a new app can spend its test quarters. Returns false if the chain does not move, and they come later. */
export async function untilTestQuartersArrive(
  { db }: Pick<Service, 'db'>,
  appId: AppId,
  withinMs = POSTED_WITHIN_MS,
): Promise<boolean> {
  const began = performance.now();
  for (;;) {
    const account = await lookUpAccountOfApp(db, appId);
    if (account && available(account) >= TEST_QUARTERS) return true;
    if (performance.now() - began > withinMs) return false;
    await delay(LOOK_AGAIN_MS);
  }
}

/** The transfer that gives a new app its test quarters. */
export function testTransferOf(service: Pick<Service, 'vault'>, appId: AppId): TransferId {
  return idOfKey(service, keyOf(appId), new Date()) as TransferId;
}

const keyOf = (appId: AppId) => lastingKey(['test quarters'], appId, `${TEST_QUARTERS}`);

/**
 * Gives them exactly once, however often and wherever it is called. Of concurrent calls the idempotency key lets one issue. After a day
 * that key is forgotten, and the transfer itself shows that it was accepted.
 */
async function giveTestQuarters(service: Service, due: DueTestQuarters): Promise<void> {
  const { appId, transferId } = due;
  if (!service.development) throw new Error('Only a service in development mode gives test quarters');
  if ((await findTransfers(service.db, [transferId])).length === 0) {
    await issueQuarters(service, {
      recipient: appId,
      amount: TEST_QUARTERS,
      idempotency: keyOf(appId),
      transferId,
    });
  }
  await clearDueTestQuarters(service.db, due);
}
