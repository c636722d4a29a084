import pg from 'pg';
import { atEnd, type Ending } from './at-end.ts';

/** A transaction of the service, as the database saw it. */
export type Ran = {
  /** From BEGIN to COMMIT, both included. */
  readonly statements: readonly string[];
  /** How often the service waited for the database. */
  readonly roundTrips: number;
};

type Running = { statements: string[]; roundTrips: number };

/** Records every transaction of this process that commits, until the test ends. */
export function recordTransactions(t: Ending): Ran[] {
  const committed: Ran[] = [];
  const running = new WeakMap<pg.Client, Running>();
  const unanswered = new WeakMap<pg.Client, number>();
  const { query } = pg.Client.prototype;
  type AnyQuery = (
    this: pg.Client,
    config: string | { text: string },
    ...rest: unknown[]
  ) => Promise<unknown> | undefined;
  const recording: AnyQuery = function (config, ...rest) {
    const result = (query as AnyQuery).call(this, config, ...rest);
    const text = typeof config === 'string' ? config : config.text;
    // Statements with a callback are the driver's own.
    if (!result) return result;
    if (text === 'BEGIN') running.set(this, { statements: [], roundTrips: 0 });
    const transaction = running.get(this);
    const waiting = unanswered.get(this) ?? 0;
    unanswered.set(this, waiting + 1);
    transaction?.statements.push(text);
    if (transaction && waiting === 0) transaction.roundTrips++;
    const answered = () => unanswered.set(this, unanswered.get(this)! - 1);
    result.then(() => {
      answered();
      if (text !== 'COMMIT' || !transaction) return;
      committed.push(transaction);
      // What follows on this connection, until the next BEGIN, belongs to no transaction.
      running.delete(this);
    }, answered);
    return result;
  };
  pg.Client.prototype.query = recording as typeof query;
  atEnd(t, () => {
    pg.Client.prototype.query = query;
  });
  return committed;
}
