import { Problem } from '../base/problems.ts';
import { CommitUnknown, isUnavailable, lostToOthers } from '../db/database.ts';

/** What became of one item of a group: a value, or the reason for its refusal. */
export type Outcome<Result> =
  | { readonly ok: true; readonly result: Result }
  | { readonly ok: false; readonly error: unknown };

/**
 * Decides a group of items in one database transaction and resolves, after COMMIT, with an outcome for each, in order.
 * A refused item is an outcome, not an exception. An exception means that nothing of the group was decided, or, where it is
 * {@link CommitUnknown}, that all of it may have been. A Problem refuses the group as a whole; any other is looked for by halving.
 *
 * `uncertain`: an earlier try of these very items may have been committed; those found done answer as done.
 */
export type DecideGroup<Item, Result> = (items: readonly Item[], uncertain: boolean) => Promise<Outcome<Result>[]>;

/** A group that others are in the way of for so long is given up. */
const PATIENCE_MS = 30_000;
const PAUSE_MS = 100;
const MAX_PAUSE_MS = 2_000;
/** What would wait for more than these is refused: nobody waits that long for an answer. */
const MAX_GROUPS_WAITING = 20;

/** Until when the fate of an earlier COMMIT is looked for (`performance.now()`, which no clock that is put back holds up); null where there is no doubt. */
type Doubt = { endsAt: number | null };

/** Whether an error concerns every item of a group, so that parts of it would fare no better. */
function refusesAll(error: unknown): boolean {
  // Perhaps somebody's lock is in the way of one item only.
  if (lostToOthers(error)) return false;
  return error instanceof Problem || error instanceof CommitUnknown || isUnavailable(error);
}

/**
 * Group commit: items that arrive while one transaction commits share the next. Latency stays that of one commit, and
 * throughput grows with load, because a hot account is locked once a group and not once an item.
 *
 * Payers take turns, item by item, each with its own in their order: whoever has many waiting keeps nobody else waiting.
 *
 * `submit` resolves once the item is committed, and rejects where it was refused (nothing held, nothing lost). `underWayMs`: how long the
 * group of this moment has been deciding; 0 where there is none.
 */
export function groupCommit<Item, Result>(
  decide: DecideGroup<Item, Result>,
  options: { maxGroup: number; uncertainForMs: number; payerOf(item: Item): string },
): { submit(item: Item): Promise<Result>; drained(): Promise<void>; underWayMs(): number } {
  type Waiting = { item: Item; resolve(result: Result): void; reject(error: unknown): void };
  /** By payer; whose turn is next comes first. */
  const waiting = new Map<string, Waiting[]>();
  let running: Promise<void> | null = null;
  let groupBeganAt: number | null = null;

  async function run(): Promise<void> {
    while (waiting.size > 0) {
      groupBeganAt = performance.now();
      await settle(nextGroup(), { endsAt: null });
    }
    groupBeganAt = null;
    // In the same tick as the look at `waiting`: an item that came in between would wait for ever.
    running = null;
  }

  function nextGroup(): Waiting[] {
    const group: Waiting[] = [];
    // A payer that is added again comes last, and is met again by this very loop.
    for (const [payer, items] of waiting) {
      group.push(items.shift()!);
      waiting.delete(payer);
      if (items.length > 0) waiting.set(payer, items);
      if (group.length === options.maxGroup) break;
    }
    return group;
  }

  async function settle(group: readonly Waiting[], inherited: Doubt): Promise<void> {
    // Each part of a group that is halved goes its own way, with the doubt it was born in.
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
      // One bad item must not sink the rest.
      const parts = refusesAll(error) ? [] : partsOf(group, error);
      if (parts.length < 2) for (const { reject } of group) reject(error);
      else for (const part of parts) await settlePart(part, doubt, error);
    }
  }

  /** Halves; or, where others are in the way, what each payer has in the group: it is a payer's rows that somebody holds. */
  function partsOf(group: readonly Waiting[], error: unknown): readonly (readonly Waiting[])[] {
    if (lostToOthers(error)) return [...Map.groupBy(group, ({ item }) => options.payerOf(item)).values()];
    const middle = group.length >> 1;
    return group.length === 1 ? [group] : [group.slice(0, middle), group.slice(middle)];
  }

  /** Where others were in the way of the whole: each part may wait as long, and everybody behind it. */
  async function settlePart(part: readonly Waiting[], doubt: Doubt, error: unknown): Promise<void> {
    if (!lostToOthers(error) || underWayMs() < PATIENCE_MS) return settle(part, doubt);
    for (const { reject } of part) reject(error);
  }

  const underWayMs = () => (groupBeganAt === null ? 0 : performance.now() - groupBeganAt);

  /**
   * After a lost COMMIT reply the group is decided anew under the same ids. The earlier transaction's row locks make the
   * new one wait until its fate is settled, so the look at the ids is exact. Until there was such a look nothing is an answer, whatever
   * goes wrong: at the deadline the doubt itself is what is thrown.
   */
  async function decideUntilCertain(items: readonly Item[], doubt: Doubt): Promise<Outcome<Result>[]> {
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
      // As many turns as it has items, each after one of everybody else's.
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
