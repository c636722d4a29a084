import type { AppId } from '../base/ids.ts';
import type { Queries } from '../db/database.ts';
import { extensionPoint, type House, type Load } from './house.ts';

/** The calls of one hour. `refused`: with a status of 4xx; `failed`: 5xx. */
export type CallHour = {
  readonly hour: Date;
  readonly calls: number;
  readonly refused: number;
  readonly failed: number;
};

/** The calls with one error code in one hour. */
export type ErrorHour = { readonly hour: Date; readonly code: string; readonly count: number };

/** How often an app called the API, by hour, from the hour of `from` on, oldest first. */
type CallCounts = {
  readCallHours(db: Queries, appId: AppId, from: Date): Promise<readonly CallHour[]>;
  readErrorHours(db: Queries, appId: AppId, from: Date): Promise<readonly ErrorHour[]>;
};

export const CALL_COUNTS = extensionPoint<Load<CallCounts>>('counts of the calls of an app');

/** Null if nothing counts calls. */
export async function callCountsOf({ of }: House): Promise<CallCounts | null> {
  const [load] = of(CALL_COUNTS);
  return load ? load() : null;
}
