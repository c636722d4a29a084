import type { AppId } from '../../../base/ids.ts';
import type { NewPeople } from '../../../identity/new-people.ts';
import {
  type Flow,
  type FlowKind,
  isSecondHalf,
  isSink,
  isSource,
  isVolume,
  type Party,
} from '../../../ledger/flows.ts';
import type { EconomySums, Stocks } from './economy.ts';

export const NO_STOCKS: Stocks = { supply: 0n, treasury: 0n, players: 0n, apps: 0n, outside: 0n };

const STOCK_OF: Partial<Record<Party, 'treasury' | 'players' | 'apps' | 'outside'>> = {
  treasury: 'treasury',
  player: 'players',
  app: 'apps',
  outside: 'outside',
};

/** What everybody has after these flows. */
export function stocksAfter(stocks: Stocks, flows: readonly Flow[]): Stocks {
  const after: { -readonly [Name in keyof Stocks]: bigint } = { ...stocks };
  for (const { from, to, amount } of flows) {
    const [source, target] = [STOCK_OF[from], STOCK_OF[to]];
    if (source) after[source] -= amount;
    if (target) after[target] += amount;
    // Between two apps each is a flow that leaves or enters `other-app`, so both together change nothing.
    if (from === 'none') after.supply += amount;
    if (to === 'none') after.supply -= amount;
  }
  return after;
}

/** What each app has after these flows. */
export function balancesAfter(balances: ReadonlyMap<AppId, bigint>, flows: readonly Flow[]): Map<AppId, bigint> {
  const after = new Map(balances);
  for (const flow of flows) {
    if (flow.appId) after.set(flow.appId, (after.get(flow.appId) ?? 0n) + balanceChange([flow]));
  }
  return after;
}

/** What players paid to an app, of their own and by rewards, and what it paid players. */
export type AppMoved = { readonly received: bigint; readonly paidOut: bigint; readonly refunded: bigint };

export function movedByApp(flows: readonly Flow[]): AppMoved {
  const { paid, paidOut, refunded } = sumsOf(flows, 0, undefined);
  return { received: paid, paidOut, refunded };
}

/** By how much an app's balance changed by these flows of its own. */
export function balanceChange(flows: readonly Pick<Flow, 'from' | 'to' | 'amount'>[]): bigint {
  return flows.reduce((sum, { from, to, amount }) => {
    if ((from === 'app') === (to === 'app')) return sum;
    return to === 'app' ? sum + amount : sum - amount;
  }, 0n);
}

/** The figures that are sums of flows, next to those that are not. */
export function sumsOf(
  flows: readonly Flow[],
  payers: number,
  people: Pick<NewPeople, 'guests' | 'becameFull' | 'signedUp'> | undefined,
): EconomySums {
  const once = flows.filter((flow) => !isSecondHalf(flow));
  const sum = (chosen: (flow: Flow) => boolean) =>
    once.reduce((total, flow) => (chosen(flow) ? total + flow.amount : total), 0n);
  const of = (...kinds: readonly FlowKind[]) => sum(({ kind }) => kinds.includes(kind));
  return {
    flows,
    issued: of('issue'),
    paid: of('payment', 'reward'),
    rewards: of('reward'),
    paidOut: of('payout'),
    refunded: of('refund'),
    sources: sum(isSource),
    sinks: sum(isSink),
    volume: sum(isVolume),
    count: once.reduce((total, flow) => (isVolume(flow) ? total + flow.count : total), 0),
    payers,
    newGuests: people ? people.guests : 0,
    becameFull: people?.becameFull ?? 0,
    signedUp: people?.signedUp ?? 0,
  };
}
