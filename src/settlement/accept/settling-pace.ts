/** So many steps are looked back. A transaction is mined within one to two blocks of being signed, if nothing holds it back. */
const STEPS = 3;
/** Counts that are closer together are one step. */
const STEP_MS = 900;

/** What a count found settled so far, and when. */
type Count = { readonly at: number; readonly settled: number };

/**
 * How fast this installation settles, as its own counts show. A step is a count that found more settled than the one before it: a block, or
 * a second of faster ones. So the pace of a chain with a block every 12 seconds is that of three blocks, and a night without payments, or
 * without blocks, changes nothing.
 */
export class SettlingPace {
  /** The oldest first; the last one is the latest. */
  #counts: Count[] = [];

  /** `settled`: how many transactions have ever been settled, by the database; `at`: in milliseconds. */
  note(settled: number, at: number): void {
    const last = this.#counts.at(-1);
    // After a reorganisation, or on a database that was restored, they are counted anew.
    if (!last || settled < last.settled) this.#counts = [{ at, settled }];
    else if (settled > last.settled) this.#add({ at, settled });
  }

  #add(count: Count): void {
    const before = this.#counts.at(-2);
    if (before && count.at - before.at < STEP_MS) this.#counts.pop();
    this.#counts.push(count);
    if (this.#counts.length > STEPS + 1) this.#counts.shift();
  }

  /** What was settled in the last steps. */
  get lately(): number {
    return this.#counts.length < 2 ? 0 : this.#counts.at(-1)!.settled - this.#counts[0]!.settled;
  }

  /** How long it takes to settle so many at this pace, in seconds. */
  secondsFor(count: number): number {
    const tookMs = this.#counts.length < 2 ? 0 : this.#counts.at(-1)!.at - this.#counts[0]!.at;
    return this.lately === 0 ? Number.POSITIVE_INFINITY : (count * tookMs) / this.lately / 1000;
  }
}
