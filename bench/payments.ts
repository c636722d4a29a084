import { expectSettled } from './correctness.ts';
import type { LoadResult } from './load-generator.ts';
import { processorTimeBetween } from './processor-time.ts';
import { type Step, steadyRate, watchApps } from './progress.ts';
import type { Stage } from './stage.ts';

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
   * negative), and nothing else may move any meanwhile.
   */
  settle(load: Promise<LoadResult>, quarters?: number): Promise<Settled>;
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
    async settle(load, quarters = -1) {
      const [before, walBefore, began] = [stage.processorTime(), await readWal(stage), watch.looks.length];
      const base = balance;
      const result = await load;
      if (result.cut > 0) throw new Error(`${result.cut} calls got no answer: ${result.cutBy}`);
      balance += quarters * result.accepted;
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
export async function readWal({ database }: Pick<Stage, 'database'>): Promise<number> {
  const { rows } = await database.query<{ bytes: string }>(
    `SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') AS bytes`,
  );
  return Number(rows[0]!.bytes);
}
