import { setTimeout as delay } from 'node:timers/promises';
import type { EndpointId } from '../../base/ids.ts';
import { findApp } from '../../identity/apps.ts';
import { findUser } from '../../identity/users.ts';
import type { Service } from '../../settlement/service.ts';
import { type DueDelivery, markDelivered, markFailed, takeDueDeliveries } from '../../webhooks/deliveries.ts';
import { clearFailing, type Endpoint, recordFailure, secretContext } from '../../webhooks/endpoints.ts';
import { eventJson } from '../../webhooks/events.ts';
import { type SendOptions, send, signedHeaders } from '../../webhooks/send.ts';
import { anyLookup, publicLookup } from '../../webhooks/targets.ts';
import { queueMail } from '../mails/mails.ts';

/** The most deliveries in progress for one endpoint. */
const PER_ENDPOINT = 4;
const HEALTHY_AT_ONCE = 100;
/** Separate places for failing and slow endpoints, one each, so that they never hold up endpoints that answer soon. */
const FAILING_AT_ONCE = 50;
const TIMEOUT_MS = 10_000;
/**
 * After this time a delivery gives up its place but still waits for the answer, so five times as many as there are
 * places may be in progress. Its endpoint counts as slow until an answer comes sooner.
 */
const SLOW_MS = 2_000;
/** Slow endpoints remembered. One that is forgotten is soon found slow again. */
const MOST_SLOW = 1_000;
const GONE = 410;

const MINUTE = 60;
const HOUR = 60 * MINUTE;
/** Seconds before the second attempt, the third, …; the last applies to all later ones. */
const PAUSES = [5, MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR] as const;
/** Spreads retries, so that deliveries that failed together are not retried together. */
const JITTER = 0.2;

export type WebhookSender = {
  /** Starts deliveries that are due while there is room. Returns true if it started any, as there may be more. */
  sendDue(): Promise<boolean>;
  /** Resolves when nothing is in progress. */
  idle(): Promise<void>;
};

/**
 * Delivers events to endpoints, each at least once: if the process dies between sending an event and recording that, it
 * is sent again with the same webhook-id. A slow delivery gives up its place after two seconds, and a free place goes
 * to the app with the fewest deliveries in progress, so other apps do not wait for a slow endpoint's backlog. `freed`
 * is called when there is room again.
 */
export function webhookSender(service: Service, freed: () => void, timeoutMs = TIMEOUT_MS): WebhookSender {
  const { settings, log } = service;
  const privateTargets = settings.webhookPrivateTargets === 'on';
  const options: SendOptions = { privateTargets, timeoutMs, lookup: privateTargets ? anyLookup : publicLookup() };
  const busy = new Map<EndpointId, number>();
  const slow = new Set<EndpointId>();
  const inProgress = new Set<Promise<void>>();
  const room = { healthy: HEALTHY_AT_ONCE, failing: FAILING_AT_ONCE };

  async function run(delivery: DueDelivery): Promise<void> {
    const { endpointId } = delivery;
    const place = delivery.failing ? 'failing' : 'healthy';
    busy.set(endpointId, (busy.get(endpointId) ?? 0) + 1);
    room[place]--;
    const over = deliver(service, options, delivery).catch((error) => {
      // The delivery's lease ends, and it is tried again.
      log.warn({ event: delivery.event.id, err: error }, 'the outcome of a webhook delivery could not be recorded');
    });
    const late = await Promise.race([over, delay(SLOW_MS, 'late', { ref: false })]);
    room[place]++;
    slow.delete(endpointId);
    if (late) {
      slow.add(endpointId);
      if (slow.size > MOST_SLOW) slow.delete([...slow][0]!);
      freed();
      await over;
    }
    const left = busy.get(endpointId)! - 1;
    if (left > 0) busy.set(endpointId, left);
    else busy.delete(endpointId);
  }

  return {
    async sendDue() {
      const due = await takeDueDeliveries(service.db, { busy, slow }, PER_ENDPOINT, room);
      for (const delivery of due) {
        const running = run(delivery).finally(() => {
          inProgress.delete(running);
          freed();
        });
        inProgress.add(running);
      }
      return due.length > 0;
    },
    async idle() {
      await Promise.all(inProgress);
    },
  };
}

async function deliver(service: Service, options: SendOptions, delivery: DueDelivery): Promise<void> {
  const { db, vault, log } = service;
  const { event, endpointId, url, attempts } = delivery;
  const body = JSON.stringify(eventJson(event));
  const secrets = delivery.sealedSecrets.map((sealed) => vault.unseal(sealed, secretContext(endpointId)).toString());
  const sent = await send({ url, body, headers: signedHeaders(event.id, new Date(), body, secrets) }, options);
  if (sent.ok) {
    await markDelivered(db, delivery, sent.status);
    if (delivery.failing) await clearFailing(db, endpointId);
    return;
  }
  const { status, fault } = sent;
  log.info({ event: event.id, endpoint: endpointId, attempts, status, fault }, 'a webhook did not arrive');
  const pauseSeconds = pauseAfter(attempts);
  await db.transaction(async (tx) => {
    await markFailed(tx, delivery, { status, fault, pauseSeconds });
    const disabled = await recordFailure(tx, endpointId, status === GONE);
    if (disabled) await notifyOwner(service, tx, disabled);
  });
}

function pauseAfter(attempts: number): number {
  return PAUSES[Math.min(attempts, PAUSES.length) - 1]! * (1 - JITTER + 2 * JITTER * Math.random());
}

/** Apps registered by the operator have nobody to write to; the log and the command line report it. */
async function notifyOwner(service: Service, tx: Parameters<typeof queueMail>[1], endpoint: Endpoint): Promise<void> {
  service.log.warn(
    { endpoint: endpoint.id, app: endpoint.appId, reason: endpoint.disabledReason },
    'an endpoint is disabled',
  );
  const app = await findApp(tx, endpoint.appId);
  const owner = app?.ownerId ? await findUser(tx, app.ownerId) : null;
  if (!app || !owner?.email) return;
  const why =
    endpoint.disabledReason === 'gone'
      ? 'It responded with 410 (Gone).'
      : 'All deliveries to it failed for three days.';
  await queueMail(service, tx, {
    to: owner.email,
    subject: `A webhook endpoint of ${app.name} is disabled`,
    text: `We stopped sending events of ${app.name} to

    ${endpoint.url}

${why} Once it works again, enable it on the developer page:

    ${service.publicUrl}/developer/apps/${app.id}/webhooks

Missed events stay in GET /v1/events for 30 days.
`,
  });
}
