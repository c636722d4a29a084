import { setTimeout as delay } from 'node:timers/promises';
import type { EndpointId } from '../../base/ids.ts';
import { traced } from '../../base/spans.ts';
import type { Service } from '../../service/service.ts';
import { withData } from '../../views/webhooks/event-data.ts';
import { openConnections } from '../../webhooks/connections.ts';
import { type DueDelivery, giveBack, takeDueDeliveries } from '../../webhooks/deliveries.ts';
import { eventJson } from '../../webhooks/events.ts';
import { type SendOptions, type Sent, send, signedHeaders } from '../../webhooks/send.ts';
import { anyLookup, publicLookup } from '../../webhooks/targets.ts';
import { secretContext } from '../../webhooks/webhook-endpoints.ts';
import { DELIVERY_GATES, DELIVERY_PACE, type DeliveryPace, RECEIVERS_TIME, type SendDelivery } from './additions.ts';
import { DeliveryLines } from './delivery-lines.ts';
import { DueEndpoints } from './due-endpoints.ts';
import { deliveryRecorder } from './record-deliveries.ts';

const TIMEOUT_MS = 10_000;
/**
 * Looking for due deliveries costs nearly the same for one as for a hundred. Where many endpoints have some it costs more,
 * so a look is followed by a pause of at least its length. Outcomes that come within a time are recorded together: if the
 * process dies before, the messages are sent again.
 */
const PACE: DeliveryPace = { looksApartMs: 50, recordedTogetherMs: 50 };
/**
 * While payments are under way and this process has no time to spare, it starts no more than one delivery in this time. So
 * payments keep four fifths of it, and the webhooks catch up afterwards.
 */
const BUSY_MS_EACH = 1;
const BUSY = 0.95;

export type WebhookSender = {
  /** Starts deliveries that are due while there is room. Returns true if it started any, as there may be more. */
  sendDue(): Promise<boolean>;
  /** Resolves when all that was taken is sent, with whether there was something to wait for. */
  sent(): Promise<boolean>;
  /** Resolves when nothing is in progress. Deliveries that were taken and not sent are due again. */
  idle(): Promise<void>;
};

/**
 * Delivers events to endpoints, each at least once: if the process dies between sending an event and recording that, it
 * is sent again with the same webhook-id. A slow delivery gives up its place after two seconds, and a free place goes
 * to the app with the fewest deliveries in progress, so other apps do not wait for a slow endpoint's backlog. `freed`
 * is called when there is room again.
 */
export function webhookSender(service: Service, freed: () => void, timeoutMs = TIMEOUT_MS): WebhookSender {
  const { settings, settlement, db, log } = service;
  const privateTargets = settings.webhookPrivateTargets === 'on';
  const connections = openConnections(privateTargets ? anyLookup : publicLookup());
  const gates = service.house.of(DELIVERY_GATES);
  const [{ looksApartMs, recordedTogetherMs } = PACE] = service.house.of(DELIVERY_PACE);
  const deliver = gates.reduce<SendDelivery>(
    (send, { around }) => around(send),
    delivering(service, { privateTargets, keepAnswer: !privateTargets, timeoutMs, connections }),
  );
  const lines = new DeliveryLines({
    // In all these cases the delivery's lease ends, and it is sent later.
    send: (delivery) =>
      deliver(delivery).catch((error) => {
        log.warn({ event: delivery.event.id, err: error }, 'a webhook could not be sent');
        return null;
      }),
    record: deliveryRecorder(service, recordedTogetherMs).record,
    giveBack: (deliveries) =>
      giveBack(db, deliveries).catch((error) => {
        log.warn({ err: error, count: deliveries.length }, 'webhook deliveries could not be given back');
      }),
    freed,
  });
  const endpoints = new DueEndpoints(db);
  let lookAgainAt = 0;
  let utilization = performance.eventLoopUtilization();
  return {
    async sendDue() {
      const tooSoonMs = lookAgainAt - performance.now();
      if (tooSoonMs > 0) await delay(tooSoonMs);
      const before = utilization;
      utilization = performance.eventLoopUtilization();
      const { utilization: used } = performance.eventLoopUtilization(utilization, before);
      const isBusy = used > BUSY && settlement.backlog > 0;
      const lookedAt = performance.now();
      const closed = new Set((await Promise.all(gates.map((gate) => gate.closedFor()))).flat());
      const wanted = await endpoints.choose(lines.underWay(), closed, lines.room());
      const due = wanted.length > 0 ? await takeDueDeliveries(db, wanted) : [];
      endpoints.noteTaken(wanted, due);
      const now = performance.now();
      const busyMs = isBusy ? due.length * BUSY_MS_EACH : 0;
      lookAgainAt = now + Math.max(looksApartMs, now - lookedAt, busyMs);
      const events = await withData(
        db,
        due.map(({ event }) => event),
      );
      lines.add(due.map((delivery, i) => ({ ...delivery, event: events[i]! })));
      return due.length > 0;
    },
    sent: () => lines.sent(),
    async idle() {
      await lines.empty();
      connections.close();
    },
  };
}

/** Of how many endpoints secrets are remembered in clear. To unseal one costs as much as to sign several messages. */
const MOST_SECRETS = 1_000;

/** Sends deliveries. A secret is unsealed once for many messages. */
function delivering({ vault, house }: Service, options: SendOptions): (delivery: DueDelivery) => Promise<Sent> {
  const [receiversTime = () => new Date()] = house.of(RECEIVERS_TIME);
  const secrets = new Map<EndpointId, { readonly sealed: readonly Buffer[]; readonly clear: readonly string[] }>();
  const secretsOf = ({ endpointId, sealedSecrets }: DueDelivery): readonly string[] => {
    const known = secrets.get(endpointId);
    const isSame =
      known?.sealed.length === sealedSecrets.length && known.sealed.every((one, i) => one.equals(sealedSecrets[i]!));
    if (isSame) return known.clear;
    const clear = sealedSecrets.map((sealed) => vault.unseal(sealed, secretContext(endpointId)).toString());
    secrets.set(endpointId, { sealed: sealedSecrets, clear });
    if (secrets.size > MOST_SECRETS) secrets.delete(secrets.keys().next().value!);
    return clear;
  };
  return async (delivery) => {
    const body = JSON.stringify(eventJson(delivery.event));
    const headers = signedHeaders(delivery.event.id, receiversTime(), body, secretsOf(delivery));
    const attributes = { 'quarters.event': delivery.event.id, 'quarters.endpoint': delivery.endpointId };
    return traced('deliver webhook', { kind: 'client', attributes }, () =>
      send({ url: delivery.url, body, headers }, options),
    );
  };
}
