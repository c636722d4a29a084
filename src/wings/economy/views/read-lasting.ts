import type { AppId } from '../../../base/ids.ts';
import { findApps } from '../../../identity/apps.ts';
import { type Flow, isSecondHalf } from '../../../ledger/flows.ts';
import type { Service } from '../../../service/service.ts';
import { readNotedAccounts } from '../store/days.ts';
import { sumFlows } from '../store/read-flows.ts';
import type { CountedUpTo } from './economy.ts';
import { readCounted } from './read-economy.ts';
import { balancesAfter, NO_STOCKS, stocksAfter } from './sums.ts';

/** How long quarters last at the pace of the last week. */
export type Lasting = {
  /** Null: the treasury. */
  readonly appId: AppId | null;
  readonly name: string | null;
  /** What is left. Of the treasury, without what is reserved. */
  readonly left: bigint;
  /** In the week: what went out, and what came in. Mints do not count for the treasury, and what the treasury issued not for apps. */
  readonly out: bigint;
  readonly in: bigint;
  /** Null: no less came in than went out. */
  readonly days: number | null;
};

export type LastingQuarters = {
  readonly counted: CountedUpTo;
  /** The week: seven days that ended with the last whole hour. */
  readonly from: Date;
  readonly until: Date;
  readonly treasury: Lasting;
  /** The apps that have quarters or paid any in the week, the first to run out first. */
  readonly apps: readonly Lasting[];
};

const HOUR_MS = 3_600_000;
const DAYS = 7;
const [BEGINNING, END_OF_TIME] = [new Date(0), new Date(Date.UTC(9999))];

/** How long the treasury and each app last if all goes on as in the last seven days, and nothing is minted or issued to the app. */
export async function readLasting({ reads }: Pick<Service, 'reads'>, now: Date = new Date()): Promise<LastingQuarters> {
  const until = new Date(Math.floor(now.getTime() / HOUR_MS) * HOUR_MS);
  const from = new Date(until.getTime() - DAYS * 24 * HOUR_MS);
  return reads.snapshot(async (tx) => {
    const [counted, all, week, noted] = await Promise.all([
      readCounted(tx),
      sumFlows(tx, null, null),
      sumFlows(tx, from, until),
      readNotedAccounts(tx, BEGINNING, END_OF_TIME),
    ]);
    const free = stocksAfter(NO_STOCKS, all).treasury - (noted?.treasuryHeld ?? 0n);
    const ofTreasury = week.filter((flow) => flow.kind !== 'mint' && !isSecondHalf(flow));
    const balances = balancesAfter(new Map(), all);
    const names = await findApps(tx, [...balances.keys()]);
    const flows = Map.groupBy(week, ({ appId }) => appId);
    const apps = [...balances].map(([appId, left]) => {
      const own = (flows.get(appId) ?? []).filter(({ kind }) => kind !== 'issue');
      return lastingOf({ appId, name: names.get(appId)?.name ?? appId }, left, own, 'app');
    });
    return {
      ...{ counted, from, until },
      treasury: lastingOf({ appId: null, name: null }, free, ofTreasury, 'treasury'),
      apps: apps.filter(({ left, out }) => left > 0n || out > 0n).sort(soonestFirst),
    };
  });
}

function lastingOf(
  whose: Pick<Lasting, 'appId' | 'name'>,
  left: bigint,
  week: readonly Flow[],
  party: 'treasury' | 'app',
): Lasting {
  const sum = (chosen: (flow: Flow) => boolean) =>
    week.reduce((total, flow) => (chosen(flow) ? total + flow.amount : total), 0n);
  const out = sum(({ from, to }) => from === party && to !== party);
  const came = sum(({ from, to }) => to === party && from !== party);
  const days = out > came ? (Math.max(Number(left), 0) * DAYS) / Number(out - came) : null;
  return { ...whose, left, out, in: came, days };
}

function soonestFirst(a: Lasting, b: Lasting): number {
  if (a.days !== b.days) return (a.days ?? Number.POSITIVE_INFINITY) - (b.days ?? Number.POSITIVE_INFINITY);
  return Number(b.left - a.left) || (`${a.appId}` < `${b.appId}` ? -1 : 1);
}
