import type { RequestId } from '../../base/ids.ts';
import { Problem } from '../../base/problems.ts';
import type { IdempotencyKey } from '../../idempotency/keys.ts';
import { findRequests, type NewRequest } from '../../requests/requests.ts';
import { idOfKey, isKeyAlive, usesOf } from '../../service/keyed-ids.ts';
import type { Service } from '../../service/service.ts';

/**
 * The request that this key made before the database was restored, and that the chain shows; null if there is none. Throws
 * `idempotency-mismatch` if it asked somebody else, or for another amount.
 */
export async function recoveredRequest(
  { db, vault, readiness }: Pick<Service, 'db' | 'vault' | 'readiness'>,
  key: IdempotencyKey,
  { userId, amount }: NewRequest,
): Promise<RequestId | null> {
  if (!readiness.recovered) return null;
  const ids = usesOf(key).map((used) => idOfKey({ vault }, key, used) as RequestId);
  const found = (await findRequests(db, ids)).find(({ createdAt }) => isKeyAlive(key, createdAt));
  if (!found) return null;
  if (found.userId === userId && found.amount === amount) return found.id;
  throw new Problem('idempotency-mismatch', 'The Idempotency-Key has asked somebody else, or for another amount.');
}
