import type { Address } from '../../../base/address.ts';
import type { AppId, UserId } from '../../../base/ids.ts';
import type { Flow } from '../../../ledger/flows.ts';
import type { Period, PeriodKind } from '../base/periods.ts';
import type { BalanceBucket, NotedAccounts } from '../store/days.ts';

/** Up to where the ledger's postings are counted. All figures of one answer belong to this state. */
export type CountedUpTo = {
  /** Everything up to this block of the ledger is counted. Null: nothing yet. */
  readonly block: bigint | null;
  /** When that was all there was. Without `isWhole`: when the last counted block was seen. Null: nothing yet. */
  readonly at: Date | null;
  /** False while counting catches up: at the first start, after a long stop, after a deep reorganisation. */
  readonly isWhole: boolean;
};

/** Who had how many quarters at a moment: exact sums of postings. */
export type Stocks = {
  /** The sum of the others. */
  readonly supply: bigint;
  readonly treasury: bigint;
  readonly players: bigint;
  readonly apps: bigint;
  /** At addresses that are not ours. */
  readonly outside: bigint;
};

/** What the accounts reserve. It is noted every few minutes, and the last of each day is kept. */
export type Holds = {
  readonly at: Date;
  /** Rewards that are granted and not spent, and what the treasury has on the way. */
  readonly treasury: bigint;
  /** On the way from players. */
  readonly players: bigint;
  /** On the way from apps. */
  readonly apps: bigint;
};

/** Sums over some time. Amounts are quarters. */
export type EconomySums = {
  /** All that moved within it, by kind and parties: the amounts below are sums of these. Of a step over all apps, otherwise by app. */
  readonly flows: readonly Flow[];
  readonly issued: bigint;
  /** What players paid to apps, of their own and by rewards, and the part that rewards paid. */
  readonly paid: bigint;
  readonly rewards: bigint;
  /** What apps paid to players: payouts, and refunds. */
  readonly paidOut: bigint;
  readonly refunded: bigint;
  /** Into players' hands, and out of them. */
  readonly sources: bigint;
  readonly sinks: bigint;
  /** All that moved but mint, burn and `outside`, and how many logs it took. */
  readonly volume: bigint;
  readonly count: number;
  /** Distinct players who paid. In a step: those who had not paid earlier in the period, so that steps add up to the period. */
  readonly payers: number;
  /** They are counted by day: null in a step of an hour. `before` has the days up to that of `comparedUntil`. */
  readonly newGuests: number | null;
  /** Guests who became full users, and full users who signed up themselves. */
  readonly becameFull: number;
  readonly signedUp: number;
};

export type EconomyStep = EconomySums & {
  readonly from: Date;
  readonly until: Date;
  /** Distinct players who paid in this step, whether or not earlier too. Null in a step of an hour. */
  readonly activePayers: number | null;
  /** At its end; in a step that is not over, as counted. */
  readonly stocks: Stocks;
};

export type AppSums = {
  readonly appId: AppId;
  readonly name: string;
  /** Payments by players, and what rewards added. */
  readonly payments: number;
  readonly received: bigint;
  readonly paidOut: bigint;
  readonly refunded: bigint;
  readonly payers: number;
  /** At the end. */
  readonly balance: bigint;
};

export type Spender = {
  readonly address: Address;
  readonly userId: UserId | null;
  readonly displayName: string | null;
  /** Transfers of payments, and what they paid, rewards included. */
  readonly count: number;
  readonly amount: bigint;
};

export type Economy = {
  readonly counted: CountedUpTo;
  readonly period: Period;
  /** Null if the period is over. Otherwise it is compared with the hours of the period before up to this moment. */
  readonly comparedUntil: Date | null;
  /** Of the period. `stocks`: at its end, or as counted. */
  readonly sums: EconomySums & { readonly stocks: Stocks; readonly opening: Stocks };
  /** The same of the period before, up to `comparedUntil`. */
  readonly before: EconomySums & { readonly stocks: Stocks };
  /** Distinct players who paid in the day, week, month and year in which the period ends, or that it is in now, up to its end. */
  readonly activePayers: Readonly<Record<PeriodKind, number>>;
  /** A day by hours, a week and a month by days, a year by months. All steps of the period, also those to come. */
  readonly steps: readonly EconomyStep[];
  /** The apps with any figure but 0 in the period or the one before, by `received`. */
  readonly apps: readonly (AppSums & { readonly before: AppSums })[];
  /** By amount, at most 20. */
  readonly spenders: readonly Spender[];
  /** The last that was noted within the period. */
  readonly holds: Holds | null;
  readonly distribution: readonly BalanceBucket[] | null;
  /** The richest 1 % of the players who have quarters, when that was noted. */
  readonly top: NotedAccounts['top'];
};

/** What an app's account got and gave in some time. `opening` + what came in − what went out = `closing`, exactly. */
export type AppFlows = {
  readonly appId: AppId;
  readonly opening: bigint;
  /** `to`: 'app' came in, `from`: 'app' went out. Both: the app paid itself. */
  readonly flows: readonly Flow[];
  readonly closing: bigint;
};
