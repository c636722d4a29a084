import type { UserId } from '../../../base/ids.ts';
import { CommitUnknown } from '../../../db/database.ts';
import { storeSeen } from '../../../identity/seen-players.ts';
import { oncePerService } from '../../../service/once-per-service.ts';
import type { Service } from '../../../service/service.ts';

/** Players who were here today. A process notes each once a day, and again if it has noted this many since. */
const MOST_NOTED = 100_000;
/** Rows of one transaction. What a busy second has more waits for the next. */
const MOST_AT_ONCE = 1_000;
const DAY_MS = 86_400_000;

export const seenPlayersOf = oncePerService(openSeenPlayers);

/** Players of today, and those of them who are not stored yet, in bounded memory. */
export function openSeenPlayers() {
  let day = 0;
  let noted = new Set<UserId>();
  let waiting = new Set<UserId>();
  return {
    note(userId: UserId, now: number): void {
      const today = Math.floor(now / DAY_MS);
      if (today !== day || noted.size >= MOST_NOTED) noted = new Set();
      day = today;
      if (noted.has(userId)) return;
      noted.add(userId);
      if (waiting.size < MOST_NOTED) waiting.add(userId);
    },
    /** Takes some of those who wait. */
    take(): UserId[] {
      const taken = [...waiting.values().take(MOST_AT_ONCE)];
      for (const userId of taken) waiting.delete(userId);
      return taken;
    },
    putBack(taken: readonly UserId[]): void {
      waiting = new Set([...taken, ...waiting]);
    },
  };
}

/** Stores who was noted. Whoever cannot be stored now waits for the next time, unless they may be stored. */
export async function writeSeen(service: Service): Promise<void> {
  const players = seenPlayersOf(service);
  const taken = players.take();
  if (taken.length === 0) return;
  try {
    players.putBack(await service.db.transaction((tx) => storeSeen(tx, taken)));
  } catch (error) {
    if (!(error instanceof CommitUnknown)) players.putBack(taken);
    throw error;
  }
}
