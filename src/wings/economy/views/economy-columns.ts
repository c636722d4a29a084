import { type FileColumn, numberColumn, textColumn } from '../../../base/columns.ts';
import type { AppSums, Economy, EconomySums, Spender, Stocks } from './economy.ts';

/** The figures of a period, or of a part of one. The page, its charts, its files and the command line call them the same. */
export const ECONOMY_COLUMNS = {
  paid: numberColumn('spent by players (quarters)', 'Spent by players', ({ paid }) => paid),
  rewards: numberColumn('of it rewards (quarters)', 'Of it rewards', ({ rewards }) => rewards),
  paidOut: numberColumn('payouts (quarters)', 'Payouts', ({ paidOut }) => paidOut),
  refunded: numberColumn('refunds (quarters)', 'Refunds', ({ refunded }) => refunded),
  issued: numberColumn('issued (quarters)', 'Issued', ({ issued }) => issued),
  sources: numberColumn('into players’ hands (quarters)', 'Into players’ hands', ({ sources }) => sources),
  sinks: numberColumn('out of players’ hands (quarters)', 'Out of players’ hands', ({ sinks }) => sinks),
  volume: numberColumn('volume (quarters)', 'Volume', ({ volume }) => volume),
  count: numberColumn('transfers', 'Transfers', ({ count }) => count),
  payers: numberColumn('payers', 'Payers', ({ payers }) => payers),
  newGuests: numberColumn('new guests', 'New guests', ({ newGuests }) => newGuests),
  becameFull: numberColumn(
    'guests who became full users',
    'Guests who became full users',
    ({ becameFull }) => becameFull,
  ),
  signedUp: numberColumn('signed up directly', 'Signed up directly', ({ signedUp }) => signedUp),
  players: numberColumn('players have at the end (quarters)', 'In players’ hands', ({ stocks }) => stocks.players),
  apps: numberColumn('apps have at the end (quarters)', 'In apps’ hands', ({ stocks }) => stocks.apps),
  treasury: numberColumn('treasury has at the end (quarters)', 'Left in the treasury', ({ stocks }) => stocks.treasury),
  outside: numberColumn('outside at the end (quarters)', 'At outside addresses', ({ stocks }) => stocks.outside),
  supply: numberColumn('supply at the end (quarters)', 'Supply', ({ stocks }) => stocks.supply),
} satisfies Record<string, FileColumn<EconomySums & { readonly stocks: Stocks }>>;

/** An app beside the period before; or their sum, which has no id, and no payers: those of several apps count for each of them. */
export type AppRow = Omit<AppSums, 'appId' | 'payers'> & {
  readonly appId: AppSums['appId'] | null;
  readonly payers: number | null;
  readonly before?: AppSums;
};

/** The columns of apps, in the order of their file. */
export const APP_COLUMNS = {
  appId: textColumn('app id', 'App id', ({ appId }) => appId),
  app: textColumn('app', 'App', ({ name }) => name),
  payments: numberColumn('payment transfers', 'Transfers', ({ payments }) => payments),
  received: numberColumn('received (quarters)', 'Received', ({ received }) => received),
  before: numberColumn(
    'received in the period before (quarters)',
    'Received before',
    ({ before }) => before?.received ?? null,
  ),
  out: numberColumn('payouts (quarters)', 'Payouts', ({ paidOut }) => paidOut),
  refunded: numberColumn('refunds (quarters)', 'Refunds', ({ refunded }) => refunded),
  // What players paid it, less what it paid players.
  net: numberColumn('net (quarters)', 'Net', ({ received, paidOut, refunded }) => received - paidOut - refunded),
  payers: numberColumn('payers', 'Payers', ({ payers }) => payers),
  balance: numberColumn('balance (quarters)', 'Balance', ({ balance }) => balance),
} satisfies Record<string, FileColumn<AppRow>>;

type Ranked = Spender & { readonly rank: number };

export const RANK_COLUMN = numberColumn('rank', 'Rank', ({ rank }: Ranked) => rank);

export const SPENDER_COLUMNS = {
  userId: textColumn('user id', 'User', ({ userId }) => userId),
  player: textColumn('display name', 'Player', ({ displayName }) => displayName),
  address: textColumn('address', 'Address', ({ address }) => address),
  count: numberColumn('transfers', 'Transfers', ({ count }) => count),
  amount: numberColumn('spent (quarters)', 'Spent', ({ amount }) => amount),
} satisfies Record<string, FileColumn<Spender>>;

/** Who spent the most, the first first. It is personal data, and apart from the other tables for that reason. */
export function rankedSpenders({ spenders }: Pick<Economy, 'spenders'>): Ranked[] {
  return spenders.map((spender, i) => ({ ...spender, rank: i + 1 }));
}
