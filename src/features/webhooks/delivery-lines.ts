import type { AppId, EndpointId } from '../../base/ids.ts';
import type { DueDelivery } from '../../webhooks/deliveries.ts';
import type { Sent } from '../../webhooks/send.ts';

/** The most deliveries in progress for one endpoint. */
export const PER_ENDPOINT = 4;
const HEALTHY_AT_ONCE = 100;
/** Separate places for failing and slow endpoints, one each, so that they never hold up endpoints that answer soon. */
const FAILING_AT_ONCE = 50;
/**
 * After this time a delivery gives up its place but still waits for the answer, so five times as many as there are
 * places may be in progress. Its endpoint counts as slow until an answer comes sooner.
 */
const SLOW_MS = 2_000;
/** Endpoints whose speed is remembered. One that is forgotten is soon found slow, or quick, again. */
const MOST_KNOWN = 1_000;
/**
 * Deliveries are taken ahead for an endpoint that answers quickly: as many as it should take in this time, so that one
 * statement takes many, and its places are soon free for others.
 */
const AHEAD_MS = 500;
const MOST_AHEAD = 64;
/** What would wait for longer, because the endpoint answers less quickly now, is given back before its lease ends. */
const MOST_WAIT_MS = 5_000;

/** What this process does for an endpoint. */
export type UnderWay = {
  /** Deliveries that it has taken and not finished. */
  readonly count: number;
  /** How many it may have taken. */
  readonly share: number;
  readonly slow: boolean;
  /** Null if there are none. */
  readonly appId: AppId | null;
};

/** What was taken for one endpoint and is not finished. */
type Line = { readonly appId: AppId; readonly waiting: DueDelivery[]; running: number };

export type LineWork = {
  /** Null if it could not be sent. Never throws. */
  send(delivery: DueDelivery): Promise<Sent | null>;
  /** Resolves when the outcome is stored, or could not be. */
  record(delivery: DueDelivery, sent: Sent, tookMs: number): Promise<void>;
  /** Makes deliveries that were not sent due again. Never throws. */
  giveBack(deliveries: readonly DueDelivery[]): Promise<void>;
  /** Called when there is room again. */
  freed(): void;
};

/** The deliveries that this process has taken, in a line for each endpoint. It decides when each is sent. */
export class DeliveryLines {
  readonly #work: LineWork;
  readonly #lines = new Map<EndpointId, Line>();
  /** Those where something waits. The one whose turn is next comes first. */
  readonly #ready = new Set<Line>();
  /** How many deliveries may be taken for an endpoint, where that is not the usual number; 0: it is slow. */
  readonly #shares = new Map<EndpointId, number>();
  readonly #inProgress = new Set<Promise<void>>();
  readonly #room = { healthy: HEALTHY_AT_ONCE, failing: FAILING_AT_ONCE };

  constructor(work: LineWork) {
    this.#work = work;
  }

  /** For how many endpoints there is room. Deliveries that wait for a place here count as if each had an endpoint. */
  room(): { readonly healthy: number; readonly failing: number } {
    let waiting = 0;
    for (const line of this.#ready) waiting += line.waiting.length;
    const healthy = this.#room.healthy > 0 ? Math.max(HEALTHY_AT_ONCE - waiting, 0) : 0;
    return { healthy, failing: this.#room.failing };
  }

  underWay(): Map<EndpointId, UnderWay> {
    const here = new Map<EndpointId, UnderWay>();
    for (const [id, share] of this.#shares) here.set(id, { count: 0, share, slow: share === 0, appId: null });
    for (const [id, { appId, waiting, running }] of this.#lines) {
      const share = this.#shares.get(id) ?? PER_ENDPOINT;
      here.set(id, { count: waiting.length + running, share, slow: share === 0, appId });
    }
    return here;
  }

  add(deliveries: readonly DueDelivery[]): void {
    for (const delivery of deliveries) {
      const line = this.#lines.get(delivery.endpointId) ?? { appId: delivery.event.appId, waiting: [], running: 0 };
      this.#lines.set(delivery.endpointId, line);
      line.waiting.push(delivery);
      this.#ready.add(line);
    }
    this.#advance();
  }

  /** Resolves when all that was taken is sent, with whether there was something to wait for. */
  async sent(): Promise<boolean> {
    const wasBusy = this.#inProgress.size > 0;
    while (this.#inProgress.size > 0) await Promise.all(this.#inProgress);
    return wasBusy;
  }

  /** Gives back all that is not sent yet, and resolves when nothing is in progress. */
  async empty(): Promise<void> {
    for (const line of this.#lines.values()) this.#giveBack(line, 0);
    await this.sent();
  }

  /** Starts what may be started, one for each endpoint in turn. */
  #advance(): void {
    for (const line of this.#ready) {
      const [next] = line.waiting;
      if (next && (line.running >= PER_ENDPOINT || (!next.failing && this.#room.healthy <= 0))) continue;
      this.#ready.delete(line);
      if (!next) continue;
      line.waiting.shift();
      if (line.waiting.length > 0) this.#ready.add(line);
      this.#follow(this.#run(line, next));
    }
  }

  #follow(work: Promise<void>): void {
    const followed = work.finally(() => this.#inProgress.delete(followed));
    this.#inProgress.add(followed);
  }

  async #run(line: Line, delivery: DueDelivery): Promise<void> {
    const { endpointId } = delivery;
    const place = delivery.failing ? 'failing' : 'healthy';
    line.running++;
    this.#room[place]--;
    const beganAt = performance.now();
    let isLate = false;
    const slow = setTimeout(() => {
      isLate = true;
      this.#room[place]++;
      this.#remember(endpointId, 0);
      this.#giveBack(line, 0);
      this.#work.freed();
    }, SLOW_MS);
    const sent = await this.#work.send(delivery);
    clearTimeout(slow);
    const tookMs = performance.now() - beganAt;
    const share = Math.min(Math.max(takenIn(AHEAD_MS, tookMs), PER_ENDPOINT), MOST_AHEAD);
    if (!isLate) this.#remember(endpointId, sent?.ok ? share : PER_ENDPOINT);
    this.#giveBack(line, sent?.ok ? takenIn(MOST_WAIT_MS, tookMs) : 0);
    const recorded = sent && this.#work.record(delivery, sent, tookMs);
    // Until a failure is recorded, others do not see that the endpoint fails.
    if (!sent?.ok) await recorded;
    if (!isLate) this.#room[place]++;
    line.running--;
    this.#advance();
    if (line.running === 0 && line.waiting.length === 0) this.#lines.delete(endpointId);
    if (line.waiting.length === 0) this.#work.freed();
    await recorded;
  }

  #remember(endpointId: EndpointId, share: number): void {
    this.#shares.delete(endpointId);
    if (share !== PER_ENDPOINT) this.#shares.set(endpointId, share);
    if (this.#shares.size > MOST_KNOWN) this.#shares.delete(this.#shares.keys().next().value!);
  }

  /** Gives back what waits for an endpoint, but for the first `keep`. */
  #giveBack(line: Line, keep: number): void {
    const unsent = line.waiting.splice(keep);
    if (unsent.length > 0) this.#follow(this.#work.giveBack(unsent));
  }
}

/** How many deliveries an endpoint takes in some time, if it answers each after `tookMs`. */
function takenIn(milliseconds: number, tookMs: number): number {
  return Math.floor((PER_ENDPOINT * milliseconds) / Math.max(tookMs, 1));
}
