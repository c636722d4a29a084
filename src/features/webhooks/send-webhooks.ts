import { setTimeout as delay } from 'node:timers/promises';
import type { EndpointId } from '../../base/ids.ts';
import type { Service } from '../../settlement/service.ts';
import { openConnections } from '../../webhooks/connections.ts';
import { type DueDelivery, giveBack, takeDueDeliveries, type UnderWay } from '../../webhooks/deliveries.ts';
import { secretContext } from '../../webhooks/endpoints.ts';
import { eventJson } from '../../webhooks/events.ts';
import { type SendOptions, type Sent, send, signedHeaders } from '../../webhooks/send.ts';
import { anyLookup, publicLookup } from '../../webhooks/targets.ts';
import { deliveryRecorder } from './record-deliveries.ts';

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
/** Endpoints whose speed is remembered. One that is forgotten is soon found slow, or quick, again. */
const MOST_KNOWN = 1_000;

/**
 * Deliveries are taken ahead for an endpoint that answers quickly: as many as it should take in this time, so that one
 * statement takes many, and the place is soon another endpoint's.
 */
const AHEAD_MS = 500;
const MOST_AHEAD = 64;
/**
 * Looking for due deliveries costs nearly the same for one as for a hundred. Where many endpoints have some it costs more,
 * so a look is followed by a pause of some times its length.
 */
const LOOKS_APART_MS = 50;
const PAUSE_PER_LOOK = 4;
/**
 * While this process has no time to spare, it starts no more than one delivery in this time. So payments keep four fifths
 * of it, and the webhooks catch up afterwards.
 */
const BUSY_MS_EACH = 1;
const BUSY = 0.95;

export type WebhookSender = {
  /** Starts deliveries that are due while there is room. Returns true if it started any, as there may be more. */
  sendDue(): Promise<boolean>;
  /** Resolves when nothing is in progress. Deliveries that were taken ahead are given back. */
  idle(): Promise<void>;
};

/** What was taken for one endpoint and is not finished. */
type Line = {
  readonly waiting: DueDelivery[];
  running: number;
  /** The secrets of the last message, so that each need not be unsealed again. */
  unsealed: { readonly sealed: readonly Buffer[]; readonly secrets: readonly string[] } | null;
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
  const connections = openConnections();
  const options: SendOptions = {
    privateTargets,
    timeoutMs,
    lookup: privateTargets ? anyLookup : publicLookup(),
    connections,
  };
  const recorder = deliveryRecorder(service);
  const lines = new Map<EndpointId, Line>();
  /** How many deliveries may be taken for an endpoint, where that is not the usual number; 0: it is slow. */
  const shares = new Map<EndpointId, number>();
  const inProgress = new Set<Promise<void>>();
  const room = { healthy: HEALTHY_AT_ONCE, failing: FAILING_AT_ONCE };
  let lookAgainAt = 0;
  let utilization = performance.eventLoopUtilization();

  /** Starts what may be started for an endpoint. */
  function advance(line: Line): void {
    while (line.waiting.length > 0 && line.running < PER_ENDPOINT) {
      const running = run(line, line.waiting.shift()!).finally(() => inProgress.delete(running));
      inProgress.add(running);
    }
  }

  async function run(line: Line, delivery: DueDelivery): Promise<void> {
    const { endpointId } = delivery;
    const place = delivery.failing ? 'failing' : 'healthy';
    line.running++;
    room[place]--;
    const beganAt = performance.now();
    let isLate = false;
    const slow = setTimeout(() => {
      isLate = true;
      room[place]++;
      remember(endpointId, 0);
      putBack(line);
      freed();
    }, SLOW_MS);
    const sent = await deliver(service, options, line, delivery).catch((error) => {
      // The delivery's lease ends, and it is tried again.
      log.warn({ event: delivery.event.id, err: error }, 'a webhook could not be sent');
      return null;
    });
    clearTimeout(slow);
    if (!isLate) remember(endpointId, sent?.ok ? shareOf(performance.now() - beganAt) : PER_ENDPOINT);
    if (!sent?.ok) putBack(line);
    const recorded = sent && recorder.record(delivery, sent);
    // Until a failure is recorded, others do not see that the endpoint fails.
    if (!sent?.ok) await recorded;
    if (!isLate) room[place]++;
    line.running--;
    advance(line);
    if (line.running === 0) lines.delete(endpointId);
    if (line.waiting.length === 0) freed();
    await recorded;
  }

  function remember(endpointId: EndpointId, share: number): void {
    shares.delete(endpointId);
    if (share !== PER_ENDPOINT) shares.set(endpointId, share);
    if (shares.size > MOST_KNOWN) shares.delete(shares.keys().next().value!);
  }

  /** Gives back what waits for an endpoint that has just proved slow or failing: it gets one at a time from now on. */
  function putBack(line: Line): void {
    const unsent = line.waiting.splice(0);
    if (unsent.length === 0) return;
    const given = giveBack(service.db, unsent)
      // Their leases end, and they are sent later.
      .catch((error) => log.warn({ err: error, count: unsent.length }, 'webhook deliveries could not be given back'))
      .finally(() => inProgress.delete(given));
    inProgress.add(given);
  }

  function underWay(): Map<EndpointId, UnderWay> {
    const here = new Map<EndpointId, UnderWay>();
    for (const [id, share] of shares) here.set(id, { count: 0, share, slow: share === 0 });
    for (const [id, { waiting, running }] of lines) {
      const share = shares.get(id) ?? PER_ENDPOINT;
      here.set(id, { count: waiting.length + running, share, slow: share === 0 });
    }
    return here;
  }

  return {
    async sendDue() {
      const tooSoonMs = lookAgainAt - performance.now();
      if (tooSoonMs > 0) await delay(tooSoonMs);
      const before = utilization;
      utilization = performance.eventLoopUtilization();
      const isBusy = performance.eventLoopUtilization(utilization, before).utilization > BUSY;
      const endpoints = { healthy: Math.ceil(room.healthy / PER_ENDPOINT), failing: room.failing };
      const lookedAt = performance.now();
      const due = await takeDueDeliveries(service.db, underWay(), PER_ENDPOINT, endpoints);
      const now = performance.now();
      const busyMs = isBusy ? due.length * BUSY_MS_EACH : 0;
      lookAgainAt = now + Math.max(LOOKS_APART_MS, (now - lookedAt) * PAUSE_PER_LOOK, busyMs);
      for (const delivery of due) {
        const line = lines.get(delivery.endpointId) ?? { waiting: [], running: 0, unsealed: null };
        lines.set(delivery.endpointId, line);
        line.waiting.push(delivery);
      }
      for (const id of new Set(due.map(({ endpointId }) => endpointId))) advance(lines.get(id)!);
      return due.length > 0;
    },
    async idle() {
      for (const line of lines.values()) putBack(line);
      while (inProgress.size > 0) await Promise.all(inProgress);
      connections.close();
    },
  };
}

/** How many deliveries may be taken for an endpoint that answered after this time. */
function shareOf(milliseconds: number): number {
  const soon = Math.floor((PER_ENDPOINT * AHEAD_MS) / Math.max(milliseconds, 1));
  return Math.min(Math.max(soon, PER_ENDPOINT), MOST_AHEAD);
}

async function deliver({ vault }: Service, options: SendOptions, line: Line, delivery: DueDelivery): Promise<Sent> {
  const { event, endpointId, url, sealedSecrets: sealed } = delivery;
  const body = JSON.stringify(eventJson(event));
  const isSame =
    line.unsealed?.sealed.length === sealed.length && line.unsealed.sealed.every((one, i) => one.equals(sealed[i]!));
  if (!isSame) {
    const secrets = sealed.map((one) => vault.unseal(one, secretContext(endpointId)).toString());
    line.unsealed = { sealed, secrets };
  }
  return send({ url, body, headers: signedHeaders(event.id, new Date(), body, line.unsealed!.secrets) }, options);
}
