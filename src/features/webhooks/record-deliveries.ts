import { setTimeout as delay } from 'node:timers/promises';
import type { EndpointId } from '../../base/ids.ts';
import type { Tx } from '../../db/database.ts';
import { managerAddresses } from '../../identity/app-members.ts';
import { findApps } from '../../identity/apps.ts';
import { DEVELOPERS_CONSOLE } from '../../service/console-path.ts';
import type { Service } from '../../service/service.ts';
import { type DueDelivery, type Failed, markDelivered, markFailed } from '../../webhooks/deliveries.ts';
import type { Sent } from '../../webhooks/send.ts';
import { clearFailing, type Endpoint, recordFailures } from '../../webhooks/webhook-endpoints.ts';
import type { WriteMail } from '../mails/mail-layout.ts';
import { queueMail } from '../mails/mails.ts';
import { nameInMail } from '../mails/name-in-mail.ts';

const GONE = 410;
const MOST_TOGETHER = 1_000;

const MINUTE = 60;
const HOUR = 60 * MINUTE;
/** Seconds before the second attempt, the third, …; the last applies to all later ones. */
const PAUSES = [5, MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR] as const;
/** Spreads retries, so that deliveries that failed together are not retried together. */
const JITTER = 0.2;

export type DeliveryRecorder = {
  /** Resolves when the outcome is stored, or could not be: then the lease ends, and the message is sent again. */
  record(delivery: DueDelivery, sent: Sent, tookMs: number): Promise<void>;
};

type Outcome = { readonly delivery: DueDelivery; readonly sent: Sent; readonly milliseconds: number; done(): void };

/** Records outcomes of deliveries, in one statement those that come within `togetherMs`. */
export function deliveryRecorder(service: Service, togetherMs: number): DeliveryRecorder {
  let waiting: Outcome[] = [];
  let isWriting = false;

  async function write(): Promise<void> {
    isWriting = true;
    while (waiting.length > 0) {
      await delay(togetherMs);
      const outcomes = waiting.slice(0, MOST_TOGETHER);
      waiting = waiting.slice(MOST_TOGETHER);
      try {
        await store(service, outcomes);
      } catch (error) {
        service.log.warn(
          { err: error, count: outcomes.length },
          'outcomes of webhook deliveries could not be recorded',
        );
      }
      for (const { done } of outcomes) done();
    }
    isWriting = false;
  }

  return {
    record(delivery, sent, tookMs) {
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.push({ delivery, sent, milliseconds: Math.round(tookMs), done: resolve });
      if (!isWriting) void write();
      return promise;
    },
  };
}

async function store(service: Service, outcomes: readonly Outcome[]): Promise<void> {
  const { db, meters } = service;
  const arrived = outcomes.flatMap(({ delivery, sent, milliseconds }) =>
    sent.ok ? [{ delivery, status: sent.status, milliseconds }] : [],
  );
  if (arrived.length > 0) await markDelivered(db, arrived);
  const recovered = endpointsOf(arrived.filter(({ delivery }) => delivery.failing));
  if (recovered.length > 0) await clearFailing(db, recovered);
  const failed = outcomes.flatMap(({ delivery, sent, milliseconds }): Failed[] => {
    if (sent.ok) return [];
    const { status, fault, answer = null } = sent;
    const tookMs = status === null ? null : milliseconds;
    return [{ delivery, status, fault, answer, milliseconds: tookMs, pauseSeconds: pauseAfter(delivery.attempts) }];
  });
  if (failed.length > 0) await storeFailures(service, failed);
  for (const { sent } of outcomes) meters.deliver(sent.ok ? 'delivered' : sent.fault);
}

async function storeFailures(service: Service, failed: readonly Failed[]): Promise<void> {
  for (const { delivery, status, fault } of failed) {
    const { event, endpointId, attempts } = delivery;
    service.log.info({ event: event.id, endpoint: endpointId, attempts, status, fault }, 'a webhook did not arrive');
  }
  const gone = failed.filter(({ status }) => status === GONE);
  await service.db.transaction(async (tx) => {
    await markFailed(tx, failed);
    const disabled = await recordFailures(tx, endpointsOf(failed), endpointsOf(gone));
    for (const endpoint of disabled) await notifyTeam(service, tx, endpoint);
  });
}

function endpointsOf(outcomes: readonly { readonly delivery: { readonly endpointId: EndpointId } }[]): EndpointId[] {
  return [...new Set(outcomes.map(({ delivery }) => delivery.endpointId))];
}

function pauseAfter(attempts: number): number {
  return PAUSES[Math.min(attempts, PAUSES.length) - 1]! * (1 - JITTER + 2 * JITTER * Math.random());
}

/** Writes to the owner and the admins. An app of the operator may have neither; the log and the command line report it. */
async function notifyTeam(service: Service, tx: Tx, endpoint: Endpoint): Promise<void> {
  service.log.warn(
    { endpoint: endpoint.id, app: endpoint.appId, reason: endpoint.disabledReason },
    'an endpoint is disabled',
  );
  const app = (await findApps(tx, [endpoint.appId])).get(endpoint.appId);
  if (!app) return;
  const name = nameInMail(app.name);
  const consoles = service.house.of(DEVELOPERS_CONSOLE);
  const write: WriteMail = ({ mails: { endpointDisabled: says } }) => ({
    subject: says.subject(name),
    parts: [
      says.stopped(name),
      { lines: [endpoint.url] },
      ...consoles.flatMap((path) => [
        endpoint.disabledReason === 'gone' ? says.gone : says.failing,
        { link: `${service.publicUrl}${path}/apps/${app.id}/webhooks`, label: says.link },
      ]),
      says.missed,
    ],
  });
  for (const to of await managerAddresses(tx, app.id)) await queueMail(service, tx, { to, write });
}
