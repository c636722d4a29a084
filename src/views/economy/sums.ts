import type { AppId } from '../../base/ids.ts';
import type { Flow, FlowKind, Party } from '../../economy/flows.ts';
import type { NewPeople } from '../../identity/new-people.ts';
import type { EconomySums, Stocks } from './economy.ts';

export const NO_STOCKS: Stocks = { supply: 0n, treasury: 0n, players: 0n, apps: 0n, outside: 0n };

/** A log between two apps is a flow of each. This one leaves out. */
const isTwice = ({ from }: Flow) => from === 'other-app';

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
  for (const { appId, from, to, amount } of flows) {
    if (!appId || (from === 'app') === (to === 'app')) continue;
    after.set(appId, (after.get(appId) ?? 0n) + (to === 'app' ? amount : -amount));
  }
  return after;
}

/** The figures that are sums of flows, next to those that are not. */
export function sumsOf(
  flows: readonly Flow[],
  payers: number,
  people: Pick<NewPeople, 'guests' | 'becameFull' | 'signedUp'> | undefined,
): EconomySums {
  const once = flows.filter((flow) => !isTwice(flow));
  const sum = (chosen: (flow: Flow) => boolean) =>
    once.reduce((total, flow) => (chosen(flow) ? total + flow.amount : total), 0n);
  const of = (...kinds: readonly FlowKind[]) => sum(({ kind }) => kinds.includes(kind));
  const isWithin = ({ kind }: Flow) => kind !== 'mint' && kind !== 'burn' && kind !== 'outside';
  return {
    flows,
    issued: of('issue'),
    paid: of('payment', 'reward'),
    rewards: of('reward'),
    paidOut: of('payout'),
    refunded: of('refund'),
    sources: sum(({ from, to }) => to === 'player' && from !== 'player'),
    sinks: sum(({ from, to }) => from === 'player' && to !== 'player'),
    volume: sum(isWithin),
    count: once.reduce((total, flow) => (isWithin(flow) ? total + flow.count : total), 0),
    payers,
    newGuests: people ? people.guests : 0,
    becameFull: people?.becameFull ?? 0,
    signedUp: people?.signedUp ?? 0,
  };
}
