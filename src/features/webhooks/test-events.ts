import { randomBytes } from 'node:crypto';
import { timestamp } from '../../base/dates.ts';
import { asHash, bytesToHex } from '../../base/hex.ts';
import { type AppId, newEventId, newRequestId, newUserId } from '../../base/ids.ts';
import { Problem } from '../../base/problems.ts';
import { asQuarters } from '../../base/quarters.ts';
import { keyHash, takeFromBudget } from '../../identity/attempts.ts';
import { lookUpAccountOfApp } from '../../ledger/accounts.ts';
import { requestJson } from '../../requests/requests.ts';
import { changeAs } from '../../service/change-as.ts';
import { type AppManager, appFor } from '../../service/managers.ts';
import type { Service } from '../../service/service.ts';
import { statusAfter } from '../../views/webhooks/event-data.ts';
import { redeliver } from '../../webhooks/deliveries.ts';
import type { EventType } from '../../webhooks/event-types.ts';
import { insertUndelivered } from '../../webhooks/events.ts';
import { asEndpointId, noEnabledEndpoint } from './manage-webhook-endpoints.ts';

/** Events are kept for 30 days. This keeps one app from filling their table. */
const MOST_AN_HOUR = 60;

export type TestEvent = {
  readonly type: EventType;
  /** The endpoint to send it to, whatever types it wants. Null: all that want the type. */
  readonly endpoint: string | null;
};

/**
 * Sends an app an event about a request that does not exist. Like any event it is stored, listed and delivered, but its `data` has
 * `test: true`. Returns the event's id and the endpoints it is sent to. Throws `not-found`, also for a disabled endpoint,
 * and `too-many-tries`.
 */
export async function sendTestEvent(
  service: Pick<Service, 'db'>,
  caller: AppManager,
  appId: string,
  { type, endpoint }: TestEvent,
) {
  const { db } = service;
  const app = await appFor(service, caller, appId, 'webhooks');
  const data = await sampleData(service, app.id, type);
  const budget = { key: keyHash('test event', app.id), most: MOST_AN_HOUR, minutes: 60 };
  if (!(await takeFromBudget(db, budget))) {
    throw new Problem('too-many-tries', `An app can send itself ${MOST_AN_HOUR} test events an hour.`);
  }
  return changeAs(service, caller, app, 'webhooks', async (tx) => {
    const event = { id: newEventId(), appId: app.id, type };
    await insertUndelivered(tx, { ...event, sequence: 1, subject: { data } });
    const endpoints = await redeliver(tx, event, endpoint === null ? null : asEndpointId(endpoint));
    if (endpoint !== null && endpoints.length === 0) throw noEnabledEndpoint();
    return { id: event.id, type, endpoints };
  });
}

type GuestEvent = Extract<EventType, `guest.${string}`>;

const GUEST_SAMPLES: Readonly<Record<GuestEvent, (now: Date) => object>> = {
  'guest.converted': (now) => ({ converted: timestamp(now) }),
  'guest.merged': (now) => ({ mergedInto: newUserId(), merged: timestamp(now) }),
};

const isOfGuest = (type: EventType): type is GuestEvent => type in GUEST_SAMPLES;

/** What a real event of this type would tell, about a request, user and transaction that were never made. */
async function sampleData({ db }: Pick<Service, 'db'>, appId: AppId, type: EventType): Promise<object> {
  const now = new Date();
  const userId = newUserId();
  if (isOfGuest(type)) return { userId, appId, ...GUEST_SAMPLES[type](now), test: true };
  const account = await lookUpAccountOfApp(db, appId);
  if (!account) throw new Error(`The app ${appId} has no account`);
  const [kind, notified] = type.split('.') as [string, string];
  const status = statusAfter(notified);
  const isPaid = ['approved', 'submitted', 'completed', 'failed'].includes(status);
  const request = requestJson({
    id: newRequestId(),
    appId,
    userId,
    source: kind === 'request' ? 'user' : 'payout',
    from: account.address,
    to: account.address,
    appAddress: account.address,
    amount: asQuarters(60),
    description: 'Test event',
    refundOf: null,
    status,
    createdAt: now,
    expiresAt: now,
    txHash: isPaid ? asHash(bytesToHex(randomBytes(32))) : null,
    completedAt: status === 'completed' ? now : null,
    refunded: asQuarters(0),
  });
  return { ...request, test: true };
}
