/**
 * Counts what a transfer costs the database: statements, transactions and round trips, and the share of updates in place. Alone:
 * `node bench/counts.ts`.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Claim, Effort, Figure } from './claim.ts';
import { startCountingProxy } from './database-proxy.ts';
import { openPayments } from './payments.ts';
import { runAlone } from './run.ts';
import { type Stage, startStage } from './stage.ts';

const CONNECTIONS = 256;
/** A group inserts transfers, and a chunk of a block postings. */
const GROUP = 'transfers';
const CHUNK = 'postings';
/** Idle servers report their statistics within a second. */
const STATISTICS_WITHIN_MS = 1_500;

const WHY_MORE = 'A block is posted 150 transfers at a time, and 400 if it is full: payments beside it wait less.';

async function measureCounts(effort: Effort): Promise<Figure[]> {
  let proxy: Awaited<ReturnType<typeof startCountingProxy>> | undefined;
  const stage = await startStage(
    {},
    {
      async proxy(url) {
        proxy = await startCountingProxy(url, [GROUP, CHUNK]);
        return proxy;
      },
    },
  );
  try {
    const { appId, people: _, ...payer } = await stage.createPayer(effort.quick ? 100 : 1_000);
    const payments = await openPayments(stage, appId);
    const order = { port: stage.port, flow: 'transfer', data: payer, connections: CONNECTIONS } as const;
    await payments.settle(stage.load.run({ ...order, seconds: 3 }));
    const [before, updates] = [proxy!.read(), await readUpdates(stage)];
    const { accepted } = await payments.settle(stage.load.run({ ...order, seconds: Math.min(5, effort.seconds) }));
    const after = proxy!.read();
    await payments.verify();

    const of = (name: 'statements' | 'transactions' | 'roundTrips') => after[name] - before[name];
    const ofInserting = (table: string) => {
      const [now, then] = [after.inserting[table]!, before.inserting[table]!];
      const transactions = now.transactions - then.transactions;
      return { items: accepted / transactions, roundTrips: (now.roundTrips - then.roundTrips) / transactions };
    };
    const [group, chunk] = [ofInserting(GROUP), ofInserting(CHUNK)];
    return [
      {
        name: 'statements a transfer',
        value: of('statements') / accepted,
        unit: '',
        target: '≤ 0.2',
        whyMissed: WHY_MORE,
      },
      { name: 'transactions a transfer', value: of('transactions') / accepted, unit: '' },
      { name: 'round trips a transfer', value: of('roundTrips') / accepted, unit: '' },
      { name: 'transfers in a group', value: group.items, unit: '' },
      { name: 'round trips of a group', value: group.roundTrips, unit: '', target: '≤ 3' },
      { name: 'transfers in a chunk of a block', value: chunk.items, unit: '' },
      { name: 'round trips of a chunk', value: chunk.roundTrips, unit: '' },
      ...inPlace(updates, await readUpdates(stage), accepted),
    ];
  } finally {
    await stage.stop();
  }
}

type Updates = { readonly table: string; readonly all: number; readonly inPlace: number };

async function readUpdates({ database }: Stage): Promise<Updates[]> {
  await delay(STATISTICS_WITHIN_MS);
  const { rows } = await database.query<Updates>(
    `SELECT relname AS "table", n_tup_upd::int AS "all", n_tup_hot_upd::int AS "inPlace" FROM pg_stat_user_tables ORDER BY relname`,
  );
  return rows;
}

/** Only tables that are updated on the way: at least once in a hundred transfers. */
function inPlace(before: readonly Updates[], after: readonly Updates[], transfers: number): Figure[] {
  return after.flatMap((now, i): Figure[] => {
    const all = now.all - before[i]!.all;
    const hot = now.inPlace - before[i]!.inPlace;
    if (all < transfers / 100) return [];
    return [
      { name: `${now.table}: updates a transfer`, value: all / transfers, unit: '' },
      { name: `${now.table}: of them in place (HOT)`, value: (hot / all) * 100, unit: '%', target: '≥ 95' },
    ];
  });
}

export const counts: Claim = {
  name: 'counts',
  title: 'What a transfer costs the database',
  method: `A proxy between service and PostgreSQL counts messages, at ${CONNECTIONS} connections, until the last transfer is completed. BEGIN and \
COMMIT are statements. All loops of the service count, and so does finding out who calls. Updates in place are those of pg_stat_user_tables.`,
  measure: measureCounts,
};

if (import.meta.main) await runAlone(counts);
