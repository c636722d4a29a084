import { findApps } from '../../../identity/apps.ts';
import type { Service } from '../../../service/service.ts';
import type { Period } from '../base/periods.ts';
import { type RefusalCount, readRefusals } from '../store/refusals.ts';

/** Which payments were refused in a period. */
export type RefusalReport = {
  readonly period: Period;
  /** By app, kind and reason, the most frequent first. */
  readonly rows: readonly (RefusalCount & { readonly name: string })[];
  /** By reason, the most frequent first. */
  readonly codes: readonly { readonly code: string; readonly count: number }[];
};

export async function readRefusalReport({ reads }: Pick<Service, 'reads'>, period: Period): Promise<RefusalReport> {
  const { kind, from, until } = period;
  const counts = await readRefusals(reads, kind === 'month' || kind === 'year' ? 'month' : 'day', from, until);
  const names = await findApps(reads, [...new Set(counts.map(({ appId }) => appId))]);
  const byCode = Map.groupBy(counts, ({ code }) => code);
  const codes = [...byCode].map(([code, some]) => ({ code, count: some.reduce((sum, { count }) => sum + count, 0) }));
  return {
    period,
    rows: counts.map((row) => ({ ...row, name: names.get(row.appId)?.name ?? row.appId })),
    codes: codes.sort((a, b) => b.count - a.count),
  };
}
