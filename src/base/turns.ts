/** Work of one party that may go on, or waits for that. Its party's account is charged by `spend`, in milliseconds of the thread. */
export type Turn = {
  spend(milliseconds: number): void;
  /** Also of one that still waits: it is not begun then. */
  end(): void;
};

/** Shares a part of the thread's time among parties. While it is short, the party that has used the least goes first. */
export type Turns = {
  /**
   * Calls `begin` once the party may go on, mostly at once, and never two in one turn of the event loop; or `refuse` if too many wait, and among them more of this party than of any
   * other.
   */
  take(party: string, begin: (turn: Turn) => void, refuse: () => void): Turn;
};

type Waiting = { readonly begin: () => void; readonly refuse: () => void };

/** So much may be spent at once: others wait as long. In milliseconds, as all times here. */
const MOST_AT_ONCE = 5;
/** What one is thought to need, before it is known. */
const MOST_NEEDED = 5;
const LEAST_NEEDED = 0.5;
/** For each millisecond in which the thread is idle, so many more may be spent: with half of it theirs, they get about four fifths of an idle one. */
const MORE_FOR_IDLE = 4;
const MOST_WAITING = 1_000;
const MOST_PARTIES = 10_000;
/** What a party has used counts half after so long. */
const HALF_FORGOTTEN_AFTER = 2_000;

/**
 * `share`: the part of the thread, up to 1, that is theirs even when others need it all. `busy`: how long the thread has been busy. `later`:
 * with 0, when the thread has done what is ready now.
 */
export function openTurns({
  share,
  now = () => performance.now(),
  busy = () => performance.eventLoopUtilization().active,
  later = (work, milliseconds) => (milliseconds === 0 ? setImmediate(work) : setTimeout(work, milliseconds)),
}: {
  readonly share: number;
  readonly now?: () => number;
  readonly busy?: () => number;
  readonly later?: (work: () => void, milliseconds: number) => unknown;
}): Turns {
  const used = usageOfParties(now);
  const queues = queuesOfParties<Waiting>();
  let balance = MOST_AT_ONCE;
  let needed = LEAST_NEEDED;
  let last = { at: now(), busy: busy() };
  let isDue = false;

  const refill = () => {
    const next = { at: now(), busy: busy() };
    const elapsed = next.at - last.at;
    const idle = Math.max(0, elapsed - (next.busy - last.busy));
    balance = Math.min(MOST_AT_ONCE, balance + elapsed * share + idle * MORE_FOR_IDLE);
    last = next;
  };
  /** Begins one, and goes on when the thread has done what others wait for. */
  const serve = () => {
    refill();
    if (queues.size() > 0 && balance > 0) {
      const party = queues.parties().reduce((a, b) => (used.by(b) < used.by(a) ? b : a));
      queues.takeFirst(party).begin();
    }
    isDue = true;
    const again = () => {
      isDue = false;
      if (queues.size() > 0) serve();
    };
    later(again, balance > 0 ? 0 : Math.max(1, -balance / share));
  };

  return {
    take(party, begin, refuse) {
      let hasBegun = false;
      let reserved = 0;
      let spent = 0;
      const turn: Turn = {
        spend(milliseconds) {
          spent += milliseconds;
          used.add(party, milliseconds);
          const covered = Math.min(reserved, milliseconds);
          reserved -= covered;
          balance -= milliseconds - covered;
        },
        end() {
          queues.remove(party, one);
          if (!hasBegun) return;
          needed += (Math.min(MOST_NEEDED, Math.max(LEAST_NEEDED, spent)) - needed) / 20;
          balance = Math.min(MOST_AT_ONCE, balance + reserved);
          reserved = 0;
        },
      };
      const one: Waiting = {
        begin() {
          hasBegun = true;
          reserved = needed;
          balance -= reserved;
          begin(turn);
        },
        refuse,
      };
      queues.add(party, one);
      if (queues.size() > MOST_WAITING) queues.takeLast(queues.longest()).refuse();
      if (!isDue) serve();
      return turn;
    },
  };
}

/** First in, first out for each party. */
function queuesOfParties<One>() {
  const queues = new Map<string, Set<One>>();
  let size = 0;
  const remove = (party: string, one: One) => {
    const queue = queues.get(party);
    if (!queue?.delete(one)) return;
    if (queue.size === 0) queues.delete(party);
    size--;
  };
  const take = (party: string, one: One) => {
    remove(party, one);
    return one;
  };
  return {
    size: () => size,
    parties: () => [...queues.keys()],
    longest: () => [...queues].reduce((a, b) => (b[1].size > a[1].size ? b : a))[0],
    add(party: string, one: One) {
      const queue = queues.get(party) ?? new Set();
      queues.set(party, queue.add(one));
      size++;
    },
    remove,
    takeFirst(party: string) {
      const [first] = queues.get(party)!;
      return take(party, first!);
    },
    takeLast: (party: string) => take(party, [...queues.get(party)!].at(-1)!),
  };
}

function usageOfParties(now: () => number) {
  const entries = new Map<string, { readonly used: number; readonly at: number }>();
  const by = (party: string) => {
    const entry = entries.get(party);
    return entry ? entry.used * 2 ** ((entry.at - now()) / HALF_FORGOTTEN_AFTER) : 0;
  };
  return {
    by,
    add(party: string, milliseconds: number) {
      const used = by(party) + milliseconds;
      // Put in again, so that the first of the map is the one that has used nothing for the longest.
      entries.delete(party);
      entries.set(party, { used, at: now() });
      if (entries.size > MOST_PARTIES) entries.delete(entries.keys().next().value!);
    },
  };
}
