import { randomBytes } from 'node:crypto';
import { bytesOfUuid, namedId, newRequestId, type RequestId } from '../base/ids.ts';
import type { Vault } from '../custody/vault.ts';
import type { IdempotencyKey } from '../idempotency/keys.ts';

// What a keyed call makes follows from its key. So a call that is repeated after the loss of every row makes the same again, and pays it under
// the same name, which the token takes once.

type Seeded = { readonly vault: Pick<Vault, 'seed'> };

/** What ids need of a key. */
export type NamingKey = Pick<IdempotencyKey, 'hash' | 'neverEnds'>;

const DAY_MS = 24 * 60 * 60 * 1000;
/** The time in the ids of keys that never end. */
const NO_TIME = new Date(0);

/** The bytes that a key gives to an id. Keys end after 24 hours, so the next use is on another day (UTC), and names something else. */
export function nameOfKey({ vault }: Seeded, { hash: key, neverEnds }: NamingKey, used: Date): Buffer {
  const day = neverEnds ? [] : [dayOf(used).toISOString().slice(0, 10)];
  return vault.seed.idMark([key.toString('hex'), ...day]).subarray(0, 10);
}

/** The id of what a call with this key makes at a moment. */
export function idOfKey(service: Seeded, key: NamingKey, used: Date): string {
  return namedId(key.neverEnds ? NO_TIME : dayOf(used), nameOfKey(service, key, used));
}

/** The id of a new request or payout: a random one without a key. */
export function requestIdFor(service: Seeded, key: NamingKey | undefined): RequestId {
  return key ? (idOfKey(service, key, new Date()) as RequestId) : newRequestId();
}

/** The moments at which a call that is alive may have used its key first: their days are all that ids show of them. */
export function usesOf({ neverEnds }: NamingKey): Date[] {
  const now = Date.now();
  return (neverEnds ? [now] : [now, now - DAY_MS]).map((moment) => new Date(moment));
}

/** Whether a key that was used at a moment still means what it meant then. */
export function isKeyAlive({ neverEnds }: NamingKey, used: Date): boolean {
  return neverEnds === true || Date.now() - used.getTime() < DAY_MS;
}

function dayOf(moment: Date): Date {
  return new Date(Math.floor(moment.getTime() / DAY_MS) * DAY_MS);
}

/** Bytes of a refund's id that say what it refunds. */
const REFUNDED_BYTES = 5;

/** The id of a new refund. It says which payment it refunds, to whoever has the seed. */
export function refundIdFor(
  service: Seeded,
  payment: RequestId,
  key: NamingKey | undefined,
  used = new Date(),
): RequestId {
  const own = key ? nameOfKey(service, key, used) : randomBytes(REFUNDED_BYTES);
  const name = Buffer.concat([own.subarray(0, REFUNDED_BYTES), markOfRefunded(service, payment)]);
  return namedId(key ? dayOf(used) : used, name) as RequestId;
}

/** What the ids of all refunds of a payment end with. */
export function markOfRefunded({ vault }: Seeded, payment: RequestId): Buffer {
  return vault.seed.idMark(['refund', payment]).subarray(0, REFUNDED_BYTES);
}

/** What the id of a refund ends with, as {@link markOfRefunded}. */
export function endOfRefundId(id: RequestId): Buffer {
  return bytesOfUuid(id).subarray(-REFUNDED_BYTES);
}
