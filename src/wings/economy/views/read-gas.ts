import type { Service } from '../../../service/service.ts';
import { type GasCosts, readGasDays } from '../../../settlement/tables/gas-days.ts';
import type { Period } from '../base/periods.ts';

/** What relayers paid in a period. */
export type GasReport = {
  readonly period: Period;
  readonly sums: GasCosts;
  /** A year by months, all other periods by days. Only those with a transaction. */
  readonly steps: readonly (GasCosts & { readonly starts: Date })[];
};

const NOTHING: GasCosts = { transactions: 0, reverted: 0, transfers: 0, gas: 0n, wei: 0n, unknown: 0 };

export async function readGas({ reads }: Pick<Service, 'reads'>, period: Period): Promise<GasReport> {
  const steps = await readGasDays(reads, period.kind === 'year' ? 'month' : 'day', period.from, period.until);
  const sums = steps.reduce(
    (sum, step) => ({
      transactions: sum.transactions + step.transactions,
      reverted: sum.reverted + step.reverted,
      transfers: sum.transfers + step.transfers,
      gas: sum.gas + step.gas,
      wei: sum.wei + step.wei,
      unknown: sum.unknown + step.unknown,
    }),
    NOTHING,
  );
  return { period, sums, steps };
}
