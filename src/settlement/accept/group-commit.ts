import { Problem } from '../../base/problems.ts';
import { CommitUnknown, isUnavailable, lostToOthers } from '../../db/database.ts';

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

/** How long to look for the outcome of an earlier COMMIT, as a `performance.now()`, which clock changes do not affect. Null if it is known. */
type Doubt = { endsAt: number | null };

/** Whether an error concerns every item of a group, so that its parts would fail in the same way. */
function refusesAll(error: unknown): boolean {
  // The lock may concern one item only.
  if (lostToOthers(error)) return false;
  return error instanceof Problem || error instanceof CommitUnknown || isUnavailable(error);
}

/**
 * Group commit: items that arrive while one transaction commits share the next. Latency stays that of one commit. Throughput grows
 * with load, because a hot account is locked once per group instead of once per item.
 *
 * Payers take turns, item by item, so a payer with many items does not delay the others. Each payer's items keep their order.
 *
 * `submit` resolves once the item is committed. It rejects if the item was refused; then nothing is held. `underWayMs`: how long the
 * current group has been running; 0 if there is none.
 */
export function groupCommit<Item, Result>(
  decide: AcceptGroup<Item, Result>,
  options: { maxGroup: number; uncertainForMs: number; payerOf(item: Item): string },
): { submit(item: Item): Promise<Result>; drained(): Promise<void>; underWayMs(): number } {
  type Waiting = { item: Item; resolve(result: Result): void; reject(error: unknown): void };
  /** By payer. The payer whose turn is next comes first. */
  const waiting = new Map<string, Waiting[]>();
  let running: Promise<void> | null = null;
  let groupBeganAt: number | null = null;

  async function run(): Promise<void> {
    while (waiting.size > 0) {
      groupBeganAt = performance.now();
      await settle(nextGroup(), { endsAt: null });
    }
    groupBeganAt = null;
    // In the same tick as the check of `waiting`: an item that arrived in between would wait for ever.
    running = null;
  }

  function nextGroup(): Waiting[] {
    const group: Waiting[] = [];
    // A payer that is added again comes last, and this loop reaches it again.
    for (const [payer, items] of waiting) {
      group.push(items.shift()!);
      waiting.delete(payer);
      if (items.length > 0) waiting.set(payer, items);
      if (group.length === options.maxGroup) break;
    }
    return group;
  }

  async function settle(group: readonly Waiting[], inherited: Doubt): Promise<void> {
    // Each part of a halved group has a doubt of its own, which begins as that of the whole.
    const doubt = { ...inherited };
    try {
      const outcomes = await decideUntilCertain(
        group.map(({ item }) => item),
        doubt,
      );
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
  function partsOf(group: readonly Waiting[], error: unknown): readonly (readonly Waiting[])[] {
    if (lostToOthers(error)) return [...Map.groupBy(group, ({ item }) => options.payerOf(item)).values()];
    const middle = group.length >> 1;
    return group.length === 1 ? [group] : [group.slice(0, middle), group.slice(middle)];
  }

  /** After a lock of others stopped the whole group, each part may wait as long, and delays everything behind it. */
  async function settlePart(part: readonly Waiting[], doubt: Doubt, error: unknown): Promise<void> {
    if (!lostToOthers(error) || underWayMs() < PATIENCE_MS) return settle(part, doubt);
    for (const { reject } of part) reject(error);
  }

  const underWayMs = () => (groupBeganAt === null ? 0 : performance.now() - groupBeganAt);

  /**
   * After a lost COMMIT reply the group runs again under the same ids. The earlier transaction's row locks make the new one wait until
   * the earlier one has ended, so the lookup of the ids is exact. Without such a lookup there is no answer, whatever else fails: at the
   * deadline CommitUnknown is thrown.
   */
  async function decideUntilCertain(items: readonly Item[], doubt: Doubt): Promise<ItemOutcome<Result>[]> {
    for (let pause = PAUSE_MS; ; pause = Math.min(pause * 2, MAX_PAUSE_MS)) {
      try {
        return await decide(items, doubt.endsAt !== null);
      } catch (error) {
        if (error instanceof CommitUnknown) doubt.endsAt ??= performance.now() + options.uncertainForMs;
        if (doubt.endsAt === null) throw error;
        if (performance.now() >= doubt.endsAt) throw error instanceof CommitUnknown ? error : new CommitUnknown(error);
        const mayPass = refusesAll(error) || lostToOthers(error);
        if (!mayPass && items.length > 1) throw error;
        await new Promise((resolve) => setTimeout(resolve, pause));
      }
    }
  }

  return {
    submit(item) {
      const payer = options.payerOf(item);
      const own = waiting.get(payer) ?? [];
      // It waits for as many turns as it has items, and each turn follows one of every other payer.
      const before = (own.length || 1) * waiting.size;
      if (before >= options.maxGroup * MAX_GROUPS_WAITING) {
        return Promise.reject(
          new Problem('overloaded', 'Too many transfers wait to be decided. Try again in a moment.'),
        );
      }
      return new Promise((resolve, reject) => {
        own.push({ item, resolve, reject });
        waiting.set(payer, own);
        running ??= run();
      });
    },
    underWayMs,
    async drained() {
      while (running) await running;
    },
  };
}
