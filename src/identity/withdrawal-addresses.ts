import type { Address } from '../base/address.ts';
import type { UserId } from '../base/ids.ts';
import { hashSecret } from '../base/secrets.ts';
import { columnsOf, type Queries, type Tx } from '../db/database.ts';

/** One person needs few. Stopped ones count, until they are removed. */
export const MAX_WITHDRAWAL_ADDRESSES = 5;
/** `waiting`: the wait that begins when the mails about it were delivered, or given up, has not ended. `stopped`: by the mailed link or an operator, for good. */
export type WithdrawalAddressState = 'waiting' | 'ready' | 'stopped';

export type WithdrawalAddress = {
  readonly address: Address;
  readonly state: WithdrawalAddressState;
  readonly addedAt: Date;
  /** Null: the mails about it wait. */
  readonly usableAt: Date | null;
};

/** Whose address it is. */
export type OwnWithdrawalAddress = { readonly userId: UserId; readonly address: Address };

/** Names a pair in maps. */
export const withdrawalAddressKey = ({ userId, address }: OwnWithdrawalAddress): string => `${userId}/${address}`;

const STATE = `CASE WHEN stopped_at IS NOT NULL THEN 'stopped' WHEN usable_at <= now() THEN 'ready' ELSE 'waiting' END`;

/** Oldest first. */
export async function listWithdrawalAddresses({ query }: Queries, userId: UserId): Promise<WithdrawalAddress[]> {
  return query<WithdrawalAddress>(
    `SELECT address, ${STATE} AS state, added_at AS "addedAt", usable_at AS "usableAt" FROM withdrawal_addresses
      WHERE user_id = $1 ORDER BY added_at, address`,
    [userId],
  );
}

type NewWithdrawalAddress = OwnWithdrawalAddress & {
  /** The one that confirmed it. */
  readonly passkeyId: string;
  /** What the mailed link holds. */
  readonly stopToken: string;
  /** The ids of the mails about it. */
  readonly notices: readonly string[];
};

/** `full`: there are {@link MAX_WITHDRAWAL_ADDRESSES}. The user must be locked. */
export async function insertWithdrawalAddress(
  tx: Tx,
  { userId, address, passkeyId, stopToken, notices }: NewWithdrawalAddress,
): Promise<'added' | 'known' | 'full'> {
  const known = await listWithdrawalAddresses(tx, userId);
  if (known.some((one) => one.address === address)) return 'known';
  if (known.length >= MAX_WITHDRAWAL_ADDRESSES) return 'full';
  await tx.query(
    'INSERT INTO withdrawal_addresses (user_id, address, passkey_id, stop_hash, notices) VALUES ($1, $2, $3, $4, $5)',
    [userId, address, passkeyId, hashSecret(stopToken), notices],
  );
  return 'added';
}

/** Addresses whose wait has not begun, and the mails that they wait for. */
export async function listUnannounced({
  query,
}: Queries): Promise<(OwnWithdrawalAddress & { readonly notices: readonly string[] })[]> {
  return query('SELECT user_id AS "userId", address, notices FROM withdrawal_addresses WHERE usable_at IS NULL');
}

/** Begins the wait of these addresses, where it has not begun. */
export async function startWaits(
  { query }: Queries,
  announced: readonly OwnWithdrawalAddress[],
  minutes: number,
): Promise<void> {
  await query(
    `UPDATE withdrawal_addresses SET usable_at = now() + make_interval(mins => $3)
      WHERE usable_at IS NULL AND (user_id, address) IN (SELECT * FROM unnest($1::text[], $2::text[]))`,
    [...columnsOf(announced, ['userId', 'address']), minutes],
  );
}

/** False if there is no such address. */
export async function deleteWithdrawalAddress(
  { query }: Queries,
  { userId, address }: OwnWithdrawalAddress,
): Promise<boolean> {
  const rows = await query('DELETE FROM withdrawal_addresses WHERE user_id = $1 AND address = $2 RETURNING 1', [
    userId,
    address,
  ]);
  return rows.length === 1;
}

/** Removes the addresses of everybody. What a backup has of them may have been stopped since. */
export async function forgetWithdrawalAddresses({ query }: Tx): Promise<void> {
  await query('DELETE FROM withdrawal_addresses');
}

/** The address that a mailed link stops, and whether it is stopped; null if the link is unknown or too old. */
export async function findStoppable(
  { query }: Queries,
  stopToken: string,
): Promise<(OwnWithdrawalAddress & Pick<WithdrawalAddress, 'state'>) | null> {
  const [row] = await query<OwnWithdrawalAddress & Pick<WithdrawalAddress, 'state'>>(
    `SELECT user_id AS "userId", address, ${STATE} AS state FROM withdrawal_addresses
      WHERE stop_hash = $1 AND stop_until > now()`,
    [hashSecret(stopToken)],
  );
  return row ?? null;
}

/** Stops an address for good. Waits for a withdrawal that is being accepted. False if it was stopped, or is gone. */
export async function stopWithdrawalAddress(
  { query }: Queries,
  { userId, address }: OwnWithdrawalAddress,
): Promise<boolean> {
  const rows = await query(
    `UPDATE withdrawal_addresses SET stopped_at = now() WHERE user_id = $1 AND address = $2 AND stopped_at IS NULL
     RETURNING 1`,
    [userId, address],
  );
  return rows.length === 1;
}

/** Holds these addresses in the order of their keys, and returns the states of those that exist, by {@link withdrawalAddressKey}. */
export async function holdWithdrawalAddresses(
  { query }: Tx,
  owned: readonly OwnWithdrawalAddress[],
): Promise<ReadonlyMap<string, WithdrawalAddressState>> {
  const rows = await query<OwnWithdrawalAddress & Pick<WithdrawalAddress, 'state'>>(
    `SELECT user_id AS "userId", address, ${STATE} AS state FROM withdrawal_addresses
      WHERE (user_id, address) IN (SELECT * FROM unnest($1::text[], $2::text[]))
      ORDER BY user_id, address FOR SHARE`,
    columnsOf(owned, ['userId', 'address']),
  );
  return new Map(rows.map((row) => [withdrawalAddressKey(row), row.state]));
}
