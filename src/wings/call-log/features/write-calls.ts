import type { AppId } from '../../../base/ids.ts';
import { CommitUnknown } from '../../../db/database.ts';
import type { Service } from '../../../service/service.ts';
import type { CallBuffer } from '../store/call-buffer.ts';
import type { NewCall } from '../store/calls.ts';
import { storeCalls, trimCalls } from '../store/calls.ts';

/** How many calls of an app are kept, and after how many new ones that is looked at: together 100,000. */
const KEPT = { newest: 98_000, lookAfter: 2_000 };
type Kept = typeof KEPT;

/**
 * Returns what writes the calls that wait, in one transaction of one statement, and forgets the oldest calls of apps that have too many. A
 * batch that fails is not written again: its calls are lost, its counts are added to the next batch unless they may be committed.
 */
export function callWriter({ db }: Pick<Service, 'db'>, calls: CallBuffer, kept: Kept = KEPT): () => Promise<void> {
  /** Calls of each app since its number was last looked at. */
  const written = new Map<AppId, number>();

  return async () => {
    const batch = calls.take();
    if (!batch) return;
    try {
      await db.transaction((tx) => storeCalls(tx, batch.calls, batch.counts));
    } catch (error) {
      calls.lose(batch.calls.length);
      if (!(error instanceof CommitUnknown)) calls.putBack(batch.counts);
      throw error;
    }
    for (const appId of toTrim(batch.calls)) {
      await trimCalls(db, appId, kept.newest, 2 * kept.lookAfter);
    }
  };

  function toTrim(stored: readonly NewCall[]): AppId[] {
    const due: AppId[] = [];
    for (const { appId } of stored) {
      const count = (written.get(appId) ?? 0) + 1;
      if (count === kept.lookAfter) due.push(appId);
      written.set(appId, count % kept.lookAfter);
    }
    return due;
  }
}
