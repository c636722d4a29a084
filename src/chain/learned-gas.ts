import type { Queries } from '../db/database.ts';

/** More than a hundred times Ethereum's limits is no limit any more. A node may say any number. */
export const MOST_PERCENT = 10_000;
const LEAST_PERCENT = 100;

/** What transactions of this chain need of the gas limits of Ethereum, in percent; 100 if nothing else was learned. */
export async function readGasPercent({ query }: Queries): Promise<number> {
  const [row] = await query<{ percent: number }>('SELECT percent FROM learned_gas');
  return row?.percent ?? LEAST_PERCENT;
}

/** Transactions need so much, or more. Returns what is stored then. */
export async function raiseGasPercent({ query }: Queries, percent: number): Promise<number> {
  const [row] = await query<{ percent: number }>(
    `INSERT INTO learned_gas (percent) VALUES ($1)
     ON CONFLICT (singleton) DO UPDATE SET percent = greatest(learned_gas.percent, excluded.percent), learned_at = now()
     RETURNING percent`,
    [Math.min(Math.max(percent, LEAST_PERCENT), MOST_PERCENT)],
  );
  return row!.percent;
}
