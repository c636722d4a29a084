import { CommitUnknown } from '../../../db/database.ts';
import type { Service } from '../../../service/service.ts';
import { storeRefusals } from '../store/refusals.ts';

/** Writes the refusals that wait, in one transaction. If that fails, they wait for the next time, unless they may be committed. */
export async function writeRefusals({ db, refusals }: Pick<Service, 'db' | 'refusals'>): Promise<void> {
  const taken = refusals.take();
  if (!taken) return;
  try {
    await db.transaction((tx) => storeRefusals(tx, taken));
  } catch (error) {
    if (!(error instanceof CommitUnknown)) refusals.putBack(taken);
    throw error;
  }
}
