import { sharedBatches } from '../base/shared-batches.ts';
import { resumed } from '../base/thread-time.ts';
import type { Queries } from './queries.ts';

/** Finds the rows of many keys in one statement. A store declares each of its look-ups once, as a constant of the program. */
export type Lookup<Found> = (db: Queries, keys: readonly string[]) => Promise<ReadonlyMap<string, Found>>;

/** What runs look-ups: a database. Not a transaction, whose statements belong to it alone. */
export type Lookups = {
  /**
   * Finds the row of one key; null if there is none. Concurrent calls share statements. A statement begins after its calls have
   * arrived, so it sees all that was committed before them: a revoked key is unknown at once.
   */
  lookUp<Found>(lookup: Lookup<Found>, key: string): Promise<Found | null>;
};

/** Enough for the calls of a busy moment, and still a statement of milliseconds. */
const MOST_KEYS = 500;
/** Of one kind of look-up: the next statement is sent while the answer to this one is read. */
const MOST_UNDER_WAY = 2;

/** The shared look-ups of one database: as many queues as there are kinds of look-ups. */
export function sharedLookups(db: Queries): Lookups {
  const queues = new Map<Lookup<unknown>, (key: string) => Promise<unknown>>();
  return {
    async lookUp<Found>(lookup: Lookup<Found>, key: string) {
      let ask = queues.get(lookup);
      if (!ask) {
        ask = sharedBatches((keys) => lookup(db, keys), { mostKeys: MOST_KEYS, mostUnderWay: MOST_UNDER_WAY });
        queues.set(lookup, ask);
      }
      const found = await ask(key);
      resumed();
      return found as Found | null;
    },
  };
}
