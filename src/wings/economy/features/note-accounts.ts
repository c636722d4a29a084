import type { Tx } from '../../../db/database.ts';
import { type AccountSums, sumAccounts } from '../../../ledger/account-sums.ts';
import { readDetached } from '../../../ledger/archived-months.ts';
import { newestPosting, readCursor } from '../../../ledger/blocks.ts';
import type { Service } from '../../../service/service.ts';
import { readEconomyCursor, waitForEconomy } from '../store/cursor.ts';
import { noteAccounts } from '../store/days.ts';
import { sumFlows } from '../store/read-flows.ts';
import { startOver } from '../store/undo.ts';
import { NO_STOCKS, stocksAfter } from '../views/sums.ts';

/**
 * Notes holds and the distribution of balances for today, and compares the accounts with what is counted, at one moment. False if they
 * differ, true if they are equal or counting is not that far.
 *
 * They can differ only if an address that was not ours has become an account: what it had got was counted as outside.
 */
export async function noteEconomy({ db }: Pick<Service, 'db'>): Promise<boolean> {
  const { accounts, isEqual } = await db.snapshot(async (tx) => {
    const [{ block }, newest, ledger] = await Promise.all([readEconomyCursor(tx), newestPosting(tx), readCursor(tx)]);
    const accounts = await sumAccounts(tx);
    const isCounted = block !== null && newest?.hash === block.hash && ledger?.complete === true;
    return {
      accounts,
      isEqual: !isCounted || equal(accounts, stocksAfter(NO_STOCKS, await sumFlows(tx, null, null))),
    };
  });
  const held = (kind: 'treasury' | 'user' | 'app') => accounts.sums.get(kind)?.held ?? 0n;
  await noteAccounts(db, {
    ...{ treasuryHeld: held('treasury'), playersHeld: held('user'), appsHeld: held('app') },
    distribution: accounts.players,
    top: accounts.top,
  });
  return isEqual;
}

function equal({ sums }: AccountSums, stocks: typeof NO_STOCKS): boolean {
  const posted = (kind: 'none' | 'treasury' | 'user' | 'app' | 'external' | 'recovered') =>
    sums.get(kind)?.posted ?? 0n;
  return (
    stocks.supply === -posted('none') &&
    stocks.treasury === posted('treasury') &&
    stocks.players === posted('user') + posted('recovered') &&
    stocks.apps === posted('app') &&
    stocks.outside === posted('external')
  );
}

/** Counts the economy again from the first block on, with the accounts as they are now. */
export async function recountEconomy({ db }: Pick<Service, 'db'>): Promise<void> {
  await db.transaction(recountInside);
}

/** As {@link recountEconomy}, in a transaction that changes the past, or whose the accounts are. Call it before rows are locked. */
export async function recountInside(tx: Tx): Promise<void> {
  await waitForEconomy(tx);
  // What was counted of months that are in files only cannot be counted again. It stays, as it was counted.
  if (!(await readDetached(tx))) await startOver(tx);
}
