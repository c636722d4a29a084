import type { AppId, EndpointId } from '../../../src/base/ids.ts';
import type { DeliveryGate, SendDelivery } from '../../../src/features/webhooks/additions.ts';
import { type DueDelivery, giveBack } from '../../../src/webhooks/deliveries.ts';
import type { Sent } from '../../../src/webhooks/send.ts';
import { Refused } from '../refused.ts';
import type { World } from '../world.ts';
import { endpointsOf, isAnyDue, listDue, makeDueInOrder } from './due-deliveries.ts';
import { shuffled } from './shuffled.ts';

/** What the next deliveries come to: each arrives twice, is due so many milliseconds later, or is lost on the way. */
export type DeliveryFate = { readonly kind: 'duplicate' | 'drop' } | { readonly kind: 'delay'; readonly ms: number };

/** `app`: whose events; left out: of all. `times`: for how many deliveries more. */
export type ArmedFate = DeliveryFate & { readonly app?: AppId; times: number };

export const RELEASE_ORDERS = ['as-they-came', 'reversed', 'shuffled'] as const;

export type Release = {
  readonly order: (typeof RELEASE_ORDERS)[number];
  readonly seed: number;
  /** Left out: all that is held. */
  readonly app?: AppId;
};

/** Decides when webhooks arrive, how often, and in which order. What arrives is as in life. */
export type DeliveryControl = {
  /** Sends nothing from now on, of one app or of all. What is under way already arrives. */
  hold(app?: AppId): void;
  /** Ends holds, and sends what has become due meanwhile, one after the other. Returns how many deliveries that are. */
  release(release: Release): Promise<number>;
  arm(fate: ArmedFate): void;
  held(): readonly (AppId | 'all')[];
  armed(): readonly ArmedFate[];
  /** Resolves when nothing is due or under way, but for what is held. Payments are settled first, if blocks come by themselves. */
  delivered(): Promise<void>;
  /** What was held is sent, as it came. */
  forget(): void;
  /** During `work` nothing is sent, and what is under way is given up: its game may wait for a call that waits for `work`. */
  without<T>(work: () => Promise<T>): Promise<T>;
  /** Of the service. */
  readonly gate: DeliveryGate;
  /** Before anything is asked of it. */
  startIn(world: World): void;
};

const LOST: Sent = { ok: false, status: null, fault: 'unreachable' };
const MOST_TURNS = 200;
/** Of Node.js. A longer one fires at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export function openDeliveryControl(): DeliveryControl {
  let world: World | undefined;
  const held = new Set<AppId | 'all'>();
  const lines = new Map<EndpointId, ReleasedLine>();
  const fates = new Fates(() => world!);
  const heldEndpoints = async () => {
    if (held.size === 0) return [];
    return endpointsOf(world!.service.db, held.has('all') ? 'all' : ([...held] as AppId[]));
  };
  const wake = () => void world!.deliver();
  let isOff = false;
  let givenUp = Promise.withResolvers<null>();
  return {
    hold: (app) => void held.add(app ?? 'all'),
    async release({ order, seed, app }) {
      if (app && (held.has('all') || !held.has(app))) throw new Refused(notHeld(app, held.has('all')));
      const { db } = world!.service;
      const due = await listDue(db, app ? await endpointsOf(db, [app]) : await heldEndpoints());
      const wanted = {
        'as-they-came': () => due,
        reversed: () => due.toReversed(),
        shuffled: () => shuffled(due, seed),
      };
      const ordered = wanted[order]();
      await makeDueInOrder(db, ordered);
      for (const { endpoint, event } of ordered) {
        const line = lines.get(endpoint) ?? new ReleasedLine();
        lines.set(endpoint, line.add(event));
      }
      if (app) held.delete(app);
      else held.clear();
      wake();
      return due.length;
    },
    arm: (fate) => fates.arm(fate),
    held: () => [...held],
    armed: () => fates.list(),
    async delivered() {
      for (let turns = 0; turns < MOST_TURNS; turns++) {
        if (world!.blocks.mode() === 'instant' && world!.gate.isOpen) await world!.settled();
        else await world!.follow();
        await world!.deliver();
        if (!(await isAnyDue(world!.service.db, await heldEndpoints()))) return;
      }
      throw new Refused('Deliveries are still due, although all of them were tried.');
    },
    forget() {
      held.clear();
      lines.clear();
      fates.forget();
    },
    async without(work) {
      isOff = true;
      givenUp.resolve(null);
      try {
        return await work();
      } finally {
        givenUp = Promise.withResolvers();
        isOff = false;
      }
    },
    gate: {
      closedFor: heldEndpoints,
      around: (send) => {
        const meetFate = fates.around(send);
        return async (delivery) => {
          if (isOff) return null;
          const line = lines.get(delivery.endpointId);
          const sent = line ? line.inOrder(delivery, meetFate) : meetFate(delivery);
          return Promise.race([sent, givenUp.promise]);
        };
      },
    },
    startIn(opened) {
      world = opened;
    },
  };
}

function notHeld(app: AppId, areAll: boolean): string {
  return areAll
    ? `The events of all apps are held: release all of them.`
    : `The events of the app ${app} are not held.`;
}

/** What was held for one endpoint. An endpoint usually gets four at once, so without a line their order would be chance. */
class ReleasedLine {
  readonly #left = new Set<string>();
  #last: Promise<unknown> = Promise.resolve();

  add(event: string): this {
    this.#left.add(event);
    return this;
  }

  inOrder(delivery: DueDelivery, send: SendDelivery): Promise<Sent | null> {
    if (!this.#left.delete(delivery.event.id)) return send(delivery);
    const sent = this.#last.then(() => send(delivery));
    this.#last = sent.catch(() => {});
    return sent;
  }
}

/** Gives deliveries their fates. Of several that fit, the oldest is taken. */
class Fates {
  readonly #world: () => World;
  #all: ArmedFate[] = [];
  readonly #delayed = new Set<string>();
  readonly #timers = new Set<NodeJS.Timeout>();

  constructor(world: () => World) {
    this.#world = world;
  }

  arm(fate: ArmedFate): void {
    this.#all.push(fate);
  }

  list(): readonly ArmedFate[] {
    return this.#all.filter(({ times }) => times > 0);
  }

  forget(): void {
    this.#all = [];
    this.#delayed.clear();
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
  }

  around(send: SendDelivery): SendDelivery {
    return async (delivery) => {
      const wasDelayed = this.#delayed.delete(`${delivery.event.id} ${delivery.endpointId}`);
      const fate = this.list().find(
        ({ app, kind }) => (app === undefined || app === delivery.event.appId) && !(wasDelayed && kind === 'delay'),
      );
      if (!fate) return send(delivery);
      fate.times--;
      if (fate.kind === 'drop') return LOST;
      if (fate.kind === 'delay') return this.#delay(delivery, fate.ms);
      await send(delivery);
      return send(delivery);
    };
  }

  async #delay(delivery: DueDelivery, ms: number): Promise<null> {
    this.#delayed.add(`${delivery.event.id} ${delivery.endpointId}`);
    const { service, deliver } = this.#world();
    await giveBack(service.db, [{ ...delivery, wasDueAt: new Date(Date.now() + ms) }]);
    // The service looks for what is due again every two seconds.
    const timer = setTimeout(
      () => {
        this.#timers.delete(timer);
        void deliver();
      },
      Math.min(ms, LONGEST_TIMER_MS),
    );
    this.#timers.add(timer);
    return null;
  }
}
