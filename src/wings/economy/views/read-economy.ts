import type { AppId } from '../../../base/ids.ts';
import type { Tx } from '../../../db/database.ts';
import { findApps } from '../../../identity/apps.ts';
import { type NewPeople, readNewPeople } from '../../../identity/new-people.ts';
import { lookUpUser } from '../../../identity/users.ts';
import { findAccounts } from '../../../ledger/accounts.ts';
import { readCursor } from '../../../ledger/blocks.ts';
import type { Flow } from '../../../ledger/flows.ts';
import type { Service } from '../../../service/service.ts';
import {
  PERIOD_KINDS,
  type Period,
  type PeriodKind,
  periodAt,
  periodBefore,
  sameMomentBefore,
} from '../base/periods.ts';
import { readEconomyCursor } from '../store/cursor.ts';
import { type NotedAccounts, readNotedAccounts } from '../store/days.ts';
import {
  countPayers,
  type PayerCounts,
  readStepFlows,
  readStepPayers,
  type StepKind,
  sumFlows,
} from '../store/read-flows.ts';
import { readTopPayers } from '../store/tops.ts';
import type { AppFlows, AppSums, CountedUpTo, Economy, EconomyStep, Holds, Spender } from './economy.ts';
import { balancesAfter, movedByApp, NO_STOCKS, stocksAfter, sumsOf } from './sums.ts';

const HOUR_MS = 3_600_000;
const SPENDERS = 20;
const STEP_OF = { day: 'hour', week: 'day', month: 'day', year: 'month' } as const satisfies Record<
  PeriodKind,
  StepKind
>;

/** The figures of the economy in a period, next to those of the period before. All belong to one state of what is counted. */
export async function readEconomy(
  { reads }: Pick<Service, 'reads'>,
  period: Period,
  now: Date = new Date(),
): Promise<Economy> {
  const read = await reads.snapshot((tx) => readPeriod(tx, period, now));
  const users = await Promise.all(read.spenders.map(({ userId }) => userId && lookUpUser(reads, userId)));
  const spenders = read.spenders.map((spender, i) => ({ ...spender, displayName: users[i]?.displayName ?? null }));
  return { ...read, spenders };
}

async function readPeriod(tx: Tx, period: Period, now: Date): Promise<Economy> {
  const earlier = periodBefore(period);
  const isOver = now >= period.until;
  const comparedUntil = sameMomentBefore(period, now);
  const beforeUntil = comparedUntil ?? earlier.until;
  const range = [period.from, period.until] as const;
  const stepKind = STEP_OF[period.kind];

  const counted = await readCounted(tx);
  const [opening, flows, beforeOpening, beforeFlows, stepFlows, stepPayers] = await Promise.all([
    sumFlows(tx, null, period.from),
    sumFlows(tx, ...range),
    sumFlows(tx, null, earlier.from),
    sumFlows(tx, earlier.from, beforeUntil),
    readStepFlows(tx, stepKind, ...range),
    readStepPayers(tx, stepKind, ...range),
  ]);
  const [payers, beforePayers, people, beforePeople, stepPeople, noted, spenders, activePayers] = await Promise.all([
    countPayers(tx, period.kind, ...range),
    countPayers(tx, period.kind, earlier.from, beforeUntil),
    readNewPeople(tx, 'month', ...range),
    readNewPeople(tx, 'month', earlier.from, beforeUntil),
    readNewPeople(tx, stepKind, ...range),
    readNotedAccounts(tx, ...range),
    readSpenders(tx, period),
    readActive(tx, isOver ? new Date(period.until.getTime() - 1) : now, period.until),
  ]);

  const [openingStocks, stocksBefore] = [stocksAfter(NO_STOCKS, opening), stocksAfter(NO_STOCKS, beforeOpening)];
  return {
    ...{ counted, period, comparedUntil, activePayers, spenders, distribution: noted?.distribution ?? null },
    top: noted?.top ?? null,
    sums: {
      ...sumsOf(flows, payers.get(null) ?? 0, addUp(people)),
      stocks: stocksAfter(openingStocks, flows),
      opening: openingStocks,
    },
    before: {
      ...sumsOf(beforeFlows, beforePayers.get(null) ?? 0, addUp(beforePeople)),
      stocks: stocksAfter(stocksBefore, beforeFlows),
    },
    steps: stepsOf(period, openingStocks, { stepFlows, stepPayers, stepPeople }),
    apps: await compareApps(tx, [
      { opening, flows, payers },
      { opening: beforeOpening, flows: beforeFlows, payers: beforePayers },
    ]),
    holds: noted && holdsOf(noted),
  };
}

/** Up to where everything is counted. */
export async function readCounted(tx: Tx): Promise<CountedUpTo> {
  const [{ block, whole }, newest] = await Promise.all([readEconomyCursor(tx), readCursor(tx)]);
  if (!whole || (block && whole.block < block.number)) {
    return { block: block?.number ?? null, at: block?.at ?? null, isWhole: false };
  }
  // While the ledger gets no block, what was counted stays whole.
  const isNewest = newest?.complete && newest.number === whole.block;
  return { block: whole.block, at: isNewest ? new Date() : whole.at, isWhole: true };
}

async function readSpenders(tx: Tx, { kind, from }: Period): Promise<Spender[]> {
  const tops = await readTopPayers(tx, { period: kind, from }, null, SPENDERS);
  const accounts = await findAccounts(tx, { addresses: tops.map(({ address }) => address) });
  const owners = new Map(accounts.map(({ address, userId }) => [address, userId]));
  return tops.map((top) => ({ ...top, userId: owners.get(top.address) ?? null, displayName: null }));
}

async function readActive(tx: Tx, at: Date, until: Date): Promise<Economy['activePayers']> {
  const counts = await Promise.all(
    PERIOD_KINDS.map(async (kind) => {
      const { from, until: end } = periodAt(kind, at);
      return (await countPayers(tx, kind, from, end < until ? end : until)).get(null) ?? 0;
    }),
  );
  const [day = 0, week = 0, month = 0, year = 0] = counts;
  return { day, week, month, year };
}

function addUp(people: readonly NewPeople[]): Omit<NewPeople, 'starts'> {
  const sum = (name: 'guests' | 'becameFull' | 'signedUp') =>
    people.reduce((total, row) => total + (row[name] ?? 0), 0);
  return { guests: sum('guests'), becameFull: sum('becameFull'), signedUp: sum('signedUp') };
}

type StepRows = {
  readonly stepFlows: Awaited<ReturnType<typeof readStepFlows>>;
  readonly stepPayers: Awaited<ReturnType<typeof readStepPayers>>;
  readonly stepPeople: readonly NewPeople[];
};

function stepsOf(period: Period, opening: Economy['sums']['opening'], rows: StepRows): EconomyStep[] {
  const step = STEP_OF[period.kind];
  const steps: EconomyStep[] = [];
  let stocks = opening;
  for (let from = period.from; from < period.until; ) {
    const until = step === 'hour' ? new Date(from.getTime() + HOUR_MS) : periodAt(step, from).until;
    const isIn = ({ starts }: { readonly starts: Date }) => starts.getTime() === from.getTime();
    const flows = rows.stepFlows.filter(isIn).map(({ starts: _, ...flow }): Flow => ({ ...flow, appId: null }));
    const payers = rows.stepPayers.find(isIn);
    const people = rows.stepPeople.find(isIn) ?? { guests: step === 'hour' ? null : 0, becameFull: 0, signedUp: 0 };
    stocks = stocksAfter(stocks, flows);
    const activePayers = step === 'hour' ? null : (payers?.[step] ?? 0);
    steps.push({ ...sumsOf(flows, payers?.[period.kind] ?? 0, people), from, until, activePayers, stocks });
    from = until;
  }
  return steps;
}

type AppRows = { readonly opening: readonly Flow[]; readonly flows: readonly Flow[]; readonly payers: PayerCounts };

async function compareApps(tx: Tx, both: readonly [AppRows, AppRows]): Promise<Economy['apps']> {
  const [sums, before] = both.map(sumsByApp) as [Map<AppId, AppSums>, Map<AppId, AppSums>];
  const ids = [...new Set([...sums.keys(), ...before.keys()])];
  const names = await findApps(tx, ids);
  const apps = ids.map((appId) => {
    const name = names.get(appId)?.name ?? appId;
    const [own, earlier] = [sums, before].map((of) => ({ ...NOTHING, appId, ...of.get(appId), name }));
    return { ...own!, before: earlier! };
  });
  return apps.sort((a, b) => Number(b.received - a.received) || (a.appId < b.appId ? -1 : 1));
}

const NOTHING = { payments: 0, received: 0n, paidOut: 0n, refunded: 0n, payers: 0, balance: 0n };

function sumsByApp({ opening, flows, payers }: AppRows): Map<AppId, AppSums> {
  const balances = balancesAfter(balancesAfter(new Map(), opening), flows);
  const sums = new Map<AppId, AppSums>();
  const ids = [...balances.keys(), ...flows.flatMap(({ appId }) => appId ?? [])];
  for (const appId of new Set(ids)) {
    const own = flows.filter((flow) => flow.appId === appId);
    const payments = own.reduce((n, { kind, count }) => (kind === 'payment' || kind === 'reward' ? n + count : n), 0);
    const moved = { ...movedByApp(own), payments, payers: payers.get(appId) ?? 0 };
    sums.set(appId, { appId, name: appId, ...moved, balance: balances.get(appId) ?? 0n });
  }
  return sums;
}

function holdsOf({ at, treasuryHeld, playersHeld, appsHeld }: NotedAccounts): Holds {
  return { at, treasury: treasuryHeld, players: playersHeld, apps: appsHeld };
}

/**
 * What each app's account got and gave from `from` until `until`, both whole hours. Apps that never had anything are left out. `appId`: of
 * this app alone.
 */
export async function readAppFlows(
  { reads }: Pick<Service, 'reads'>,
  from: Date,
  until: Date,
  appId: AppId | null = null,
): Promise<{ readonly counted: CountedUpTo; readonly apps: readonly AppFlows[] }> {
  return reads.snapshot(async (tx) => {
    const counted = await readCounted(tx);
    const [opening, flows] = await Promise.all([sumFlows(tx, null, from, appId), sumFlows(tx, from, until, appId)]);
    const openings = balancesAfter(new Map(), opening);
    const closings = balancesAfter(openings, flows);
    const ids = new Set([...opening, ...flows].flatMap(({ appId }) => appId ?? []));
    const apps = [...ids].sort().map((appId) => ({
      appId,
      opening: openings.get(appId) ?? 0n,
      flows: flows.filter((flow) => flow.appId === appId),
      closing: closings.get(appId) ?? 0n,
    }));
    return { counted, apps };
  });
}
