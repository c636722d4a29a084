import { Problem } from '../base/problems.ts';
import type { Tx } from '../db/database.ts';
import { addAttempt, keyHash } from '../identity/attempts.ts';

/** Far more than a team, and than the deployments of a game's server, need in an hour. */
const MOST = {
  'too-many-tries': { changes: 300, says: 'You can change apps 300 times an hour. Try again later.' },
  'rate-limited': { changes: 1_000, says: "An app's webhook endpoints can be changed 1,000 times an hour." },
} as const;

/**
 * Counts a change by an app's team (`too-many-tries`) or server (`rate-limited`), and refuses it above the limit: each change is an entry of
 * the operator's log, which is kept for ever. It counts in the change's transaction, so only changes that are made count. `by`: whose
 * changes are counted together.
 */
export async function countChange(tx: Tx, by: string, code: keyof typeof MOST): Promise<void> {
  const { changes, says } = MOST[code];
  if ((await addAttempt(tx, { key: keyHash('change', code, by), minutes: 60 })) > changes)
    throw new Problem(code, says);
}
