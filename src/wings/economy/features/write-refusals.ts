import { CommitUnknown } from '../../../db/database.ts';
import type { Service } from '../../../service/service.ts';
import type { RefusalBuffer } from '../store/refusal-buffer.ts';
import { storeRefusals } from '../store/refusals.ts';

/** Writes the refusals that wait, in one transaction. If that fails, they wait for the next time, unless they may be committed. */
export async function writeRefusals({ db }: Pick<Service, 'db'>, refusals: RefusalBuffer): Promise<void> {
  const taken = refusals.take();
  if (!taken) return;
  try {
    await db.transaction((tx) => storeRefusals(tx, taken));
  } catch (error) {
    if (!(error instanceof CommitUnknown)) refusals.putBack(taken);
    throw error;
  }
}
