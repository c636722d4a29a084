import { Problem, refusalOfMany } from '../base/problems.ts';
import { CommitsWait, CommitUnknown, isUnavailable, lostToOthers } from './database.ts';

/** The outcome for one item of a group: a result, or the reason for its refusal. */
export type ItemOutcome<Result> =
  | { readonly ok: true; readonly result: Result }
  | { readonly ok: false; readonly error: unknown };

/**
 * Accepts or refuses the items of a group in one database transaction. Resolves after COMMIT with an outcome for each, in order. A
 * refused item is an outcome, not an exception.
 *
 * An exception means that nothing was accepted, or, if it is {@link CommitUnknown}, that everything may have been. A Problem refuses the
 * whole group. After any other error the group is halved, to find the item that causes it.
 *
 * `uncertain`: an earlier attempt at these items may have committed; items that are found accepted get their outcome from there.
 */
export type AcceptGroup<Item, Result> = (items: readonly Item[], uncertain: boolean) => Promise<ItemOutcome<Result>[]>;

/** A group that waits for locks of others for longer is given up. */
const PATIENCE_MS = 30_000;
const PAUSE_MS = 100;
const MAX_PAUSE_MS = 2_000;
/** An item that would wait for more groups is refused: no caller waits that long. */
const MAX_GROUPS_WAITING = 20;
/** Nor for a payer whose first item in line has waited for so long already. */
const MAX_WAIT_MS = 1_500;

/**
 * Group commit: items that arrive while one transaction commits share the next. Latency stays that of one commit. Throughput grows
 * with load, because a hot account is locked once per group instead of once per item.
 *
 * Payers take turns, item by item, so a payer with many items does not delay the others. Each payer's items keep their order.
 *
 * `beforeGroup`: each group waits for it, so it must resolve soon. `maxWaitMs`: how long the first of a payer's items may wait.
 *
 * `submit` resolves once the item is committed. It rejects if the item was refused; then nothing is held. `isLate`: whether a payer's
 * items wait for too long, so that others are better refused before anything is done for them. `underWayMs`: how long the current
 * group has been running; 0 if there is none.
 */
export function groupCommit<Item, Result>(
  accept: AcceptGroup<Item, Result>,
  options: {
    maxGroup: number;
    uncertainForMs: number;
    payerOf(item: Item): string;
    beforeGroup?(): Promise<void>;
    maxWaitMs?: number;
  },
): {
  submit(item: Item): Promise<Result>;
  isLate(payer: string): boolean;
  drained(): Promise<void>;
  underWayMs(): number;
} {
  const queue = new PayerQueue<Waiting<Item, Result>>();
  let running: Promise<void> | null = null;
  let groupBeganAt: number | null = null;
  const underWayMs = () => (groupBeganAt === null ? 0 : performance.now() - groupBeganAt);
  const settle = groupSettler(accept, { ...options, underWayMs });

  async function run(): Promise<void> {
    while (!queue.isEmpty) {
      if (options.beforeGroup) await options.beforeGroup();
      groupBeganAt = performance.now();
      await settle(queue.take(options.maxGroup), { endsAt: null });
    }
    groupBeganAt = null;
    // In the same tick as the check of the queue: an item that arrived in between would wait for ever.
    running = null;
  }

  return {
    submit(item) {
      const payer = options.payerOf(item);
      if (queue.turnsBefore(payer) >= options.maxGroup * MAX_GROUPS_WAITING) {
        return Promise.reject(tooManyWait());
      }
      return new Promise((resolve, reject) => {
        queue.add(payer, { item, resolve, reject, since: performance.now() });
        running ??= run();
      });
    },
    isLate(payer) {
      const first = queue.first(payer);
      return first !== undefined && performance.now() - first.since > (options.maxWaitMs ?? MAX_WAIT_MS);
    },
    underWayMs,
    async drained() {
      while (running) await running;
    },
  };
}

const waitsTooLong = refusalOfMany('overloaded', 'Too many calls wait to be decided. Try again in a moment.');

export function tooManyWait(): Problem {
  return waitsTooLong((2 * MAX_WAIT_MS) / 1000);
}

/** An item that was submitted and has no outcome yet. */
type Waiting<Item, Result> = {
  readonly item: Item;
  readonly since: number;
  resolve(result: Result): void;
  reject(error: unknown): void;
};

/** Serves payers in turn, one entry at a time. */
class PayerQueue<Entry> {
  /** The payer whose turn is next comes first. */
  readonly #entries = new Map<string, Entry[]>();

  get isEmpty(): boolean {
    return this.#entries.size === 0;
  }

  first(payer: string): Entry | undefined {
    return this.#entries.get(payer)?.[0];
  }

  add(payer: string, entry: Entry): void {
    const own = this.#entries.get(payer);
    if (own) own.push(entry);
    else this.#entries.set(payer, [entry]);
  }

  /** A new entry waits for as many turns as its payer has entries, and each turn follows one of every other payer. */
  turnsBefore(payer: string): number {
    return (this.#entries.get(payer)?.length ?? 1) * this.#entries.size;
  }

  take(most: number): Entry[] {
    const taken: Entry[] = [];
    // A payer that is added again comes last, and this loop reaches it again.
    for (const [payer, own] of this.#entries) {
      taken.push(own.shift()!);
      this.#entries.delete(payer);
      if (own.length > 0) this.#entries.set(payer, own);
      if (taken.length === most) break;
    }
    return taken;
  }
}

/** How long to look for the outcome of an earlier COMMIT, as a `performance.now()`, which clock changes do not affect. Null if it is known. */
type Doubt = { endsAt: number | null };

/** Gives each item of a group its outcome. Never throws. */
function groupSettler<Item, Result>(
  accept: AcceptGroup<Item, Result>,
  options: { uncertainForMs: number; payerOf(item: Item): string; underWayMs(): number },
): (group: readonly Waiting<Item, Result>[], doubt: Doubt) => Promise<void> {
  type Group = readonly Waiting<Item, Result>[];

  async function settle(group: Group, inherited: Doubt): Promise<void> {
    // Each part of a halved group has a doubt of its own, which begins as that of the whole.
    const doubt = { ...inherited };
    const items = group.map(({ item }) => item);
    try {
      const outcomes = await acceptUntilCertain(accept, items, doubt, options.uncertainForMs);
      group.forEach(({ resolve, reject }, i) => {
        const outcome = outcomes[i];
        if (outcome?.ok) resolve(outcome.result);
        else reject(outcome ? outcome.error : new Error('The group gave no outcome for this item'));
      });
    } catch (error) {
      // One bad item must not make the others fail.
      const parts = refusesAll(error) ? [] : partsOf(group, error);
      if (parts.length < 2) for (const { reject } of group) reject(error);
      else for (const part of parts) await settlePart(part, doubt, error);
    }
  }

  /** Halves. If a lock of others is the cause, one part for each payer instead, since locks are on a payer's rows. */
  function partsOf(group: Group, error: unknown): readonly Group[] {
    if (lostToOthers(error)) return [...Map.groupBy(group, ({ item }) => options.payerOf(item)).values()];
    const middle = group.length >> 1;
    return group.length === 1 ? [group] : [group.slice(0, middle), group.slice(middle)];
  }

  /** After a lock of others stopped the whole group, each part may wait as long, and delays everything behind it. */
  async function settlePart(part: Group, doubt: Doubt, error: unknown): Promise<void> {
    if (!lostToOthers(error) || options.underWayMs() < PATIENCE_MS) return settle(part, doubt);
    for (const { reject } of part) reject(error);
  }

  return settle;
}

/**
 * After a lost COMMIT reply the group runs again under the same ids. The earlier transaction's row locks make the new one wait until
 * the earlier one has ended, so the lookup of the ids is exact. Without such a lookup there is no answer, whatever else fails: at the
 * deadline CommitUnknown is thrown.
 */
async function acceptUntilCertain<Item, Result>(
  accept: AcceptGroup<Item, Result>,
  items: readonly Item[],
  doubt: Doubt,
  uncertainForMs: number,
): Promise<ItemOutcome<Result>[]> {
  for (let pause = PAUSE_MS; ; pause = Math.min(pause * 2, MAX_PAUSE_MS)) {
    try {
      return await accept(items, doubt.endsAt !== null);
    } catch (error) {
      if (error instanceof CommitUnknown) doubt.endsAt ??= performance.now() + uncertainForMs;
      if (doubt.endsAt === null) throw error;
      // No outcome can be seen before a standby is back.
      const isHopeless = error instanceof CommitsWait || performance.now() >= doubt.endsAt;
      if (isHopeless) throw error instanceof CommitUnknown ? error : new CommitUnknown(error);
      const mayPass = refusesAll(error) || lostToOthers(error);
      if (!mayPass && items.length > 1) throw error;
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }
}

/** Whether an error concerns every item of a group, so that its parts would fail in the same way. */
function refusesAll(error: unknown): boolean {
  // The lock may concern one item only.
  if (lostToOthers(error)) return false;
  return error instanceof Problem || error instanceof CommitUnknown || isUnavailable(error);
}
