import { emptyClosedAccounts } from '../features/accounts/close-account.ts';
import { endSweep } from '../features/custody/end-sweep.ts';
import { readCursor } from '../ledger/blocks.ts';
import type { Service } from '../service/service.ts';
import { mayAct } from '../settlement/may-act.ts';
import { type Loop, repeat } from './repeat.ts';

const PAUSE_MS = 5_000;
/** Payments wait for it. */
const MOVING_PAUSE_MS = 500;

/** Empties closed accounts, and the addresses that a sweep has left. Payments continue when it finds that all quarters have moved. */
export function emptyingLoop(service: Service, firstAfterMs: number): Loop {
  const { readiness } = service;
  const empty = async () => {
    if (!mayAct(readiness) || (readiness.moving && !(await isUpToDate(service)))) return false;
    if (await emptyClosedAccounts(service)) return true;
    if (readiness.moving) await endSweep(service);
    return false;
  };
  // Operators know it by this name.
  return repeat('sweep', service, () => (readiness.moving ? MOVING_PAUSE_MS : PAUSE_MS), empty, firstAfterMs);
}

/**
 * Whether the ledger has what the chain had at the start. Somebody else may have taken quarters from an old address meanwhile, and a transfer of
 * more than is left there would wait for ever.
 */
async function isUpToDate({ db, readiness, settings }: Service): Promise<boolean> {
  if (readiness.chain !== 'ok' || readiness.compared !== 'done') return false;
  const cursor = await readCursor(db);
  return cursor?.complete === true && cursor.number + BigInt(settings.completeAfter) > readiness.chainSince;
}
