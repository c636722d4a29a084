import type { AppId, EndpointId } from '../../base/ids.ts';
import type { Queries } from '../../db/database.ts';
import {
  type DueDelivery,
  type DueEndpoint,
  findDueEndpoints,
  MOST_TAKEN,
  type WantedDeliveries,
} from '../../webhooks/deliveries.ts';
import type { StoredEvent } from '../../webhooks/events.ts';
import { PER_ENDPOINT, type UnderWay } from './delivery-lines.ts';

/** What healthy endpoints share of one look. The rest is for the failing and slow ones, one each. */
const MOST_OF_HEALTHY = 150;
/**
 * To find the endpoints costs more than to take deliveries of some of them. So what was found is used for this time, or for some
 * times as long as finding them took: other apps' deliveries that fall due meanwhile wait for so long, if there is much to do.
 * A database that is slow for once must not make them wait for longer.
 */
const KNOWN_FOR_MS = 500;
const KNOWN_FOR_TIMES = 40;
const KNOWN_AT_MOST_MS = 5_000;

type Here = ReadonlyMap<EndpointId, UnderWay>;
type Room = { readonly healthy: number; readonly failing: number };

/** The endpoints for which something is due, as far as this process knows. It chooses those whose turn is next. */
export class DueEndpoints {
  readonly #db: Queries;
  /** Those that have waited longest first. */
  #known: readonly DueEndpoint[] = [];
  #knownUntil = 0;

  constructor(db: Queries) {
    this.#db = db;
  }

  /**
   * For which endpoints deliveries are to be taken: those of the apps with the fewest under way first, so that no app waits for another's
   * backlog; then those that have waited longest. `closed`: not for these.
   */
  async choose(here: Here, closed: ReadonlySet<EndpointId>, room: Room): Promise<WantedDeliveries[]> {
    const wanted = performance.now() < this.#knownUntil ? this.#chooseKnown(here, closed, room) : [];
    if (wanted.length > 0) return wanted;
    const began = performance.now();
    this.#known = await findDueEndpoints(this.#db);
    const now = performance.now();
    this.#knownUntil = now + Math.max(KNOWN_FOR_MS, Math.min(KNOWN_FOR_TIMES * (now - began), KNOWN_AT_MOST_MS));
    return this.#chooseKnown(here, closed, room);
  }

  /** Forgets endpoints of which all was taken. */
  noteTaken(wanted: readonly WantedDeliveries[], taken: readonly DueDelivery<StoredEvent>[]): void {
    const counts = new Map<EndpointId, number>();
    for (const { endpointId } of taken) counts.set(endpointId, (counts.get(endpointId) ?? 0) + 1);
    // If the statement took all that it may, those behind the last one with deliveries had no turn.
    const end = taken.length < MOST_TAKEN ? wanted.length : wanted.findLastIndex(({ id }) => counts.has(id));
    const done = new Set(wanted.slice(0, end).flatMap(({ id, most }) => ((counts.get(id) ?? 0) < most ? id : [])));
    this.#known = this.#known.filter(({ id }) => !done.has(id));
  }

  #chooseKnown(here: Here, closed: ReadonlySet<EndpointId>, room: Room): WantedDeliveries[] {
    const ofApp = new Map<AppId, number>();
    for (const { appId, count } of here.values()) if (appId) ofApp.set(appId, (ofApp.get(appId) ?? 0) + count);
    const inTurn = this.#known
      .filter(({ id }) => !closed.has(id))
      .map((endpoint) => ({ ...endpoint, ofApp: ofApp.get(endpoint.appId) ?? 0 }))
      .sort((a, b) => a.ofApp - b.ofApp);
    const [failing, healthy]: [WantedDeliveries[], WantedDeliveries[]] = [[], []];
    for (const { id, failing: fails } of inTurn) {
      const { count: underWay, share, slow } = here.get(id) ?? { count: 0, share: PER_ENDPOINT, slow: false };
      const isFailing = fails || slow;
      const most = (isFailing ? 1 : share) - underWay;
      if (most <= 0) continue;
      if (isFailing && failing.length < room.failing) failing.push({ id, most, underWay, slow });
      if (!isFailing && healthy.length < room.healthy) healthy.push({ id, most, underWay, slow });
    }
    const most = Math.max(PER_ENDPOINT, Math.floor(MOST_OF_HEALTHY / healthy.length));
    return [...failing, ...healthy.map((one) => ({ ...one, most: Math.min(one.most, most) }))];
  }
}
