import { setTimeout as delay } from 'node:timers/promises';
import { expectSettled } from './correctness.ts';
import type { LoadResult } from './load-generator.ts';
import { processorTimeBetween } from './processor-time.ts';
import { type Step, steadyRate, watchApps } from './progress.ts';
import type { Stage } from './stage.ts';

const SETTLED_WITHIN_MS = 180_000;

/** A load whose accepted payments are all settled. */
export type Settled = LoadResult & {
  /** How many were settled at each time. */
  readonly completed: readonly Step[];
  /** Processor time until the last one was settled, divided by the payments: milliseconds by `service`, `postgres`, `node`, `load`. */
  readonly cpu: Readonly<Record<string, number>>;
  /** Write-ahead log, in kB a payment. */
  readonly wal: number;
};

export type Payments = {
  /**
   * Runs a load, and waits until everything it accepted is settled. Each payment moves `quarters` into an app's account (out of it:
   * negative), and nothing else may move any meanwhile. `mayCut`: calls may stay without an answer. Each of them is paid once or never.
   */
  settle(load: Promise<LoadResult>, quarters?: number, options?: { readonly mayCut?: boolean }): Promise<Settled>;
  /** Throws unless exactly the accepted payments are paid, and ledger and chain are equal. Ends the watch. */
  verify(): Promise<void>;
  /** Ends the watch alone. */
  stop(): Promise<void>;
};

/** Follows payments to and from the accounts of these apps. Completing and posting are one transaction, so balances show what is settled. */
export async function openPayments(stage: Stage, ...appIds: readonly string[]): Promise<Payments> {
  const watch = await watchApps(stage, appIds);
  let balance = watch.looks[0]!.posted;
  return {
    async settle(load, quarters = -1, { mayCut = false } = {}) {
      const [before, walBefore, began] = [stage.processorTime(), await readWal(stage), watch.looks.length];
      const base = balance;
      const result = await load;
      if (result.cut > 0 && !mayCut) throw new Error(`${result.cut} calls got no answer: ${result.cutBy}`);
      const paid = result.cut === 0 ? result.accepted : ((await untilNothingHeld(stage, appIds)) - base) / quarters;
      if (paid < result.accepted || paid > result.accepted + result.cut) {
        throw new Error(`${result.accepted} were accepted, ${result.cut} got no answer, and ${paid} are paid.`);
      }
      balance += quarters * paid;
      await watch.until(balance);
      const spent = Object.entries(processorTimeBetween(before, stage.processorTime()));
      return {
        ...result,
        completed: watch.looks.slice(began).map(({ at, posted }) => ({ at, count: (posted - base) / quarters })),
        cpu: Object.fromEntries(spent.map(([name, ms]) => [name, ms / result.accepted])),
        wal: ((await readWal(stage)) - walBefore) / result.accepted / 1000,
      };
    },
    async verify() {
      await watch.stop();
      await expectSettled(stage, { appIds, balance });
    },
    stop: watch.stop,
  };
}

/** Resolves to what the apps have, once nothing that they pay is on its way. */
async function untilNothingHeld({ database }: Stage, appIds: readonly string[]): Promise<number> {
  for (const deadline = Date.now() + SETTLED_WITHIN_MS; Date.now() < deadline; await delay(100)) {
    const { rows } = await database.query<{ posted: string; held: string }>(
      'SELECT sum(posted)::bigint AS posted, sum(held)::bigint AS held FROM accounts WHERE app_id = ANY ($1)',
      [appIds],
    );
    if (rows[0]!.held === '0') return Number(rows[0]!.posted);
  }
  throw new Error('Accepted payments were not settled.');
}

/** The first load, with the turns and outcomes of the others, which ran beside it or after it. */
export function addLoads(first: LoadResult, ...others: readonly LoadResult[]): LoadResult {
  const sum = (name: 'turns' | 'accepted' | 'refused' | 'cut') =>
    others.reduce((total, load) => total + load[name], first[name]);
  const cutBy = [first, ...others].find((load) => load.cutBy)?.cutBy;
  return {
    ...first,
    ...(cutBy && { cutBy }),
    turns: sum('turns'),
    accepted: sum('accepted'),
    refused: sum('refused'),
    cut: sum('cut'),
  };
}

/** What was settled a second while the load lasted. */
export function settledPerSecond({ completed, began, ended }: Settled): number {
  return steadyRate(completed, began, ended);
}

/** Bytes of write-ahead log since the cluster was made. */
async function readWal({ database }: Pick<Stage, 'database'>): Promise<number> {
  const { rows } = await database.query<{ bytes: string }>(
    `SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') AS bytes`,
  );
  return Number(rows[0]!.bytes);
}
