import type { Tx } from '../../../db/database.ts';
import { readDetached } from '../../../ledger/archived-months.ts';
import { newestPosting, readCursor } from '../../../ledger/blocks.ts';
import type { Service } from '../../../service/service.ts';
import { finalBlock } from '../../../settlement/finality.ts';
import { PURPOSES } from '../../../settlement/purpose.ts';
import { countBite } from '../store/count-bite.ts';
import { lockEconomy, readEconomyCursor, setWhole } from '../store/cursor.ts';
import { forgetUndo, startOver, takeBackBite } from '../store/undo.ts';

/** About how many postings one transaction counts. */
const MOST = 20_000;

/**
 * Counts the next postings of the ledger into the figures of the economy, or takes back the last that were counted if the ledger has lost
 * their block. One transaction: whoever reads sees all of it or nothing. Returns whether more is left to do. Returns false, too, if another
 * process is counting.
 */
export async function rollUpBite(
  service: Pick<Service, 'db' | 'settings' | 'log'> & { readonly settlement: Pick<Service['settlement'], 'final'> },
  most = MOST,
): Promise<boolean> {
  const { db, log } = service;
  const done = await db.transaction(async (tx) => {
    if (!(await lockEconomy(tx))) return 'locked';
    // In this order: if the newest posting is counted, so is everything up to the block that was read before it.
    const [cursor, ledger, newest] = await Promise.all([readEconomyCursor(tx), readCursor(tx), newestPosting(tx)]);
    if (ledger?.complete && cursor.block && newest?.hash === cursor.block.hash) {
      if (cursor.whole?.block !== ledger.number) await setWhole(tx, ledger.number);
      return 'whole';
    }
    if (!cursor.block) await requireAllMonths(tx);
    const newestBlock = ledger?.number ?? 0n;
    const finalAfter = Number(newestBlock - finalBlock(service, newestBlock));
    const bite = await countBite(tx, cursor, { most, finalAfter }, PURPOSES);
    if (!bite) return takeBack(tx);
    if (bite.isMore) return 'more';
    if (bite.head !== null) {
      await setWhole(tx, bite.head);
      await forgetUndo(tx, bite.head - BigInt(finalAfter));
    }
    return 'whole';
  });
  if (done === 'started-over')
    log.warn({}, 'the economy is counted again from the first block, after a deep reorganisation');
  return done === 'more' || done === 'taken-back' || done === 'started-over';
}

/** Whoever counts from the first block on needs every month. */
async function requireAllMonths(tx: Tx): Promise<void> {
  const detached = await readDetached(tx);
  if (!detached) return;
  throw new Error(
    `The economy has to be counted from the first block on, and months up to ${detached.month} are in files only. Attach them: npx quarters archive attach`,
  );
}

async function takeBack(tx: Tx): Promise<'taken-back' | 'started-over'> {
  if (await takeBackBite(tx)) return 'taken-back';
  await requireAllMonths(tx);
  await startOver(tx);
  return 'started-over';
}
