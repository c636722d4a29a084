import type { Tx } from '../db/database.ts';
import { addDataKey, lockDataKeys, type MasterKey } from './data-keys.ts';

/**
 * How long an old data key stays. What was made with it and is with somebody else must remain valid: form tokens live as long as a sign-in, 30
 * days, and all else lives shorter.
 */
export const KEPT_DAYS = 31;

/** What a value begins with that is sealed under this data key. */
export function sealedPrefix(id: number): Buffer {
  const prefix = Buffer.alloc(4);
  prefix.writeUInt32BE(id);
  return prefix;
}

/** Makes a data key that seals nothing yet, or returns the one that an earlier call has made. Throws while the master key is replaced. */
export async function prepareDataKey(tx: Tx, masterKey: MasterKey): Promise<number> {
  await lockDataKeys(tx);
  const rows = await tx.query<{ id: number; isPending: boolean; isWrappedTwice: boolean }>(
    `SELECT id, seals_since IS NULL AS "isPending", next_wrapped IS NOT NULL AS "isWrappedTwice" FROM data_keys ORDER BY id`,
  );
  if (rows.some(({ isWrappedTwice }) => isWrappedTwice)) {
    throw new Error('The master key is being replaced. Finish that first: quarters custody rotate-master --finish');
  }
  const pending = rows.find(({ isPending }) => isPending);
  return pending ? pending.id : (await addDataKey(tx, masterKey, false)).id;
}

/** From now on this key seals. False if it does already. Call it when every process holds the key. */
export async function sealUnder({ query }: Tx, id: number): Promise<boolean> {
  const rows = await query(
    'UPDATE data_keys SET seals_since = now() WHERE id = $1 AND seals_since IS NULL RETURNING 1',
    [id],
  );
  return rows.length > 0;
}

/** Deletes the data keys that were replaced long enough ago. Call it only if nothing is sealed under them. Returns their ids. */
export async function deleteOldDataKeys(tx: Tx): Promise<number[]> {
  await lockDataKeys(tx);
  const rows = await tx.query<{ id: number }>(
    `DELETE FROM data_keys AS old
      WHERE (SELECT min(seals_since) FROM data_keys AS later WHERE later.id > old.id) <= now() - make_interval(days => $1)
      RETURNING id`,
    [KEPT_DAYS],
  );
  return rows.map(({ id }) => id);
}
