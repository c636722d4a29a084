/**
 * Measures what a transfer leaves in the database, table by table: rows and their indexes, alone and packed by 50. Alone:
 * `node bench/storage.ts`.
 */
import type { Claim, Effort, Figure } from './claim.ts';
import { openPayments } from './payments.ts';
import { runAlone } from './run.ts';
import { type Stage, startStage } from './stage.ts';

const CONNECTIONS = 256;
/** What takes less for each transfer belongs to groups, blocks or accounts. */
const LEAST_BYTES = 8;

async function measureStorage(effort: Effort): Promise<Figure[]> {
  return [...(await measureWay('single', 1, effort)), ...(await measureWay('packed by 50', 50, effort))];
}

async function measureWay(words: string, perTransaction: number, effort: Effort): Promise<Figure[]> {
  const stage = await startStage({ TRANSFERS_PER_TRANSACTION: `${perTransaction}` });
  try {
    const { appId, people: _, ...payer } = await stage.createPayer(effort.quick ? 100 : 1_000);
    const payments = await openPayments(stage, appId);
    const order = { port: stage.port, flow: 'transfer', data: payer, connections: CONNECTIONS } as const;
    // A table begins with pages that are mostly empty.
    await payments.settle(stage.load.run({ ...order, seconds: 3 }));
    const before = await readSizes(stage);
    const { accepted } = await payments.settle(stage.load.run({ ...order, seconds: effort.seconds }));
    const after = await readSizes(stage);
    await payments.verify();

    const grown = after.map(({ table, rows, indexes }, i) => ({
      table,
      rows: (rows - before[i]!.rows) / accepted,
      indexes: (indexes - before[i]!.indexes) / accepted,
    }));
    const counted = grown.filter(({ rows, indexes }) => rows + indexes >= LEAST_BYTES);
    const sum = grown.reduce((all, { rows, indexes }) => all + rows + indexes, 0);
    return [
      { name: `${words}: all tables`, value: sum, unit: 'bytes' },
      ...counted.flatMap(({ table, rows, indexes }) => [
        { name: `${words}: ${table}, rows`, value: rows, unit: 'bytes' },
        { name: `${words}: ${table}, indexes`, value: indexes, unit: 'bytes' },
      ]),
    ];
  } finally {
    await stage.stop();
  }
}

type Size = { readonly table: string; readonly rows: number; readonly indexes: number };

/** Bytes in files. Rows include what is stored apart from them (TOAST). */
async function readSizes({ database }: Stage): Promise<Size[]> {
  const { rows } = await database.query<Size>(
    `SELECT relname AS "table", pg_table_size(relid)::float8 AS "rows", pg_indexes_size(relid)::float8 AS indexes
       FROM pg_stat_user_tables ORDER BY relname`,
  );
  return rows;
}

export const storage: Claim = {
  name: 'storage',
  title: 'What a transfer leaves in the database',
  method: `One app pays 1 quarter each to 1,000 users over ${CONNECTIONS} connections. The growth of each table's files, divided by the \
transfers. Nothing is forgotten meanwhile, and no webhook is set. A table that grows by less than ${LEAST_BYTES} bytes a transfer counts only in the sum.`,
  measure: measureStorage,
};

if (import.meta.main) await runAlone(storage);
