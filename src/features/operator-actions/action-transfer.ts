import type { TransferId } from '../../base/ids.ts';
import { lastingKey } from '../../idempotency/keys.ts';
import type { ActionRow } from '../../operator-actions/operator-actions.ts';
import { idOfKey, isKeyAlive, type NamingKey, usesOf } from '../../service/keyed-ids.ts';
import type { Service } from '../../service/service.ts';
import { findTransfers } from '../../settlement/tables/transfers.ts';

/**
 * The id of the transfer that pays an action. It follows from the action's key, or else from its id. So if a restored database has lost the
 * action, asking for it again finds what was paid.
 */
export async function transferIdOfAction(
  service: Pick<Service, 'db' | 'vault' | 'readiness'>,
  { id, keyHash }: Pick<ActionRow, 'id' | 'keyHash'>,
): Promise<TransferId> {
  const key: NamingKey = keyHash ? { hash: keyHash } : lastingKey(['operator-action'], id, '');
  const ids = usesOf(key).map((used) => idOfKey(service, key, used) as TransferId);
  const recovered = service.readiness.recovered ? await findTransfers(service.db, ids) : [];
  return recovered.find(({ createdAt }) => isKeyAlive(key, createdAt))?.id ?? ids[0]!;
}
