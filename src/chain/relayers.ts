import type { Address } from '../base/address.ts';
import type { Database, Queries, Tx } from '../db/database.ts';
import type { SealedRows } from '../db/sealed-rows.ts';

/**
 * `settlement`: for instructions accepted in service processes. `operator`: deploys the contracts, and signs for the
 * command line. `retired`: of either, from before a sweep. It sends what it has signed, and signs nothing new: somebody else knows its key.
 */
export type RelayerPurpose = 'settlement' | 'operator' | 'retired';

export type Relayer = { readonly address: Address; readonly purpose: RelayerPurpose; readonly storedKey: Uint8Array };

/**
 * The right to send, replace and recover a relayer's transactions. `epoch` is the fencing token: a process that lost
 * the lease, even unnoticed, has an old one, and can neither renew nor release the new holder's lease.
 */
export type Lease = Relayer & { readonly epoch: bigint };

const COLUMNS = 'address, purpose, coalesce(key_id, sealed_key) AS "storedKey"';

/** `keyId`: what its key is derived from. */
export async function insertRelayer(
  { query }: Queries,
  { address, purpose, keyId }: Omit<Relayer, 'storedKey'> & { readonly keyId: Uint8Array },
): Promise<void> {
  await query('INSERT INTO relayers (address, purpose, key_id) VALUES ($1, $2, $3)', [
    address,
    purpose,
    Buffer.from(keyId),
  ]);
}

/** All relayers there ever were, retired ones too. */
export async function listRelayers({ query }: Queries): Promise<Relayer[]> {
  return query<Relayer>(`SELECT ${COLUMNS} FROM relayers ORDER BY created_at, address`);
}

/** Those that need ether, and whose transactions nobody else can make. */
export async function listActiveRelayers(db: Queries): Promise<Relayer[]> {
  return (await listRelayers(db)).filter(({ purpose }) => purpose !== 'retired');
}

/** Retires a relayer. `sealedKey`: its key, since what it was derived from is gone. It keeps its nonces and no lease. */
export async function retireRelayer({ query }: Tx, address: Address, sealedKey: Uint8Array): Promise<void> {
  await query(
    `UPDATE relayers SET purpose = 'retired', key_id = NULL, sealed_key = $2, lease_holder = NULL, lease_expires_at = '-infinity'
      WHERE address = $1`,
    [address, Buffer.from(sealedKey)],
  );
}

/**
 * Takes relayers of a purpose that nobody holds, up to `most`, for `seconds` of the database's clock. `holder`: a UUID
 * of this process.
 *
 * A lease that ends later than any could was given before the clock was put back, and counts as expired.
 *
 * It waits for locked rows: under load, taking nonces locks a relayer's row nearly always.
 */
export async function takeLeases(
  db: Database,
  purpose: RelayerPurpose,
  holder: string,
  seconds: number,
  most: number,
): Promise<Lease[]> {
  return db.query<Lease>(
    `UPDATE relayers
        SET lease_holder = $2, lease_epoch = lease_epoch + 1,
            lease_expires_at = clock_timestamp() + make_interval(secs => $3)
      WHERE address IN (
        SELECT address FROM relayers
         WHERE purpose = $1
           AND (lease_expires_at < clock_timestamp() OR lease_expires_at > clock_timestamp() + make_interval(secs => $3 * 10))
         ORDER BY address LIMIT $4 FOR NO KEY UPDATE)
      RETURNING ${COLUMNS}, lease_epoch AS epoch`,
    [purpose, holder, seconds, most],
  );
}

/**
 * Renews leases. Returns all relayers, as {@link listRelayers} does, and the addresses of the leases that are still
 * ours: in one statement, because it runs every second.
 */
export async function renewLeases(
  db: Database,
  leases: readonly Lease[],
  holder: string,
  seconds: number,
): Promise<{ all: Relayer[]; renewed: Set<Address> }> {
  const rows = await db.query<Relayer & { isRenewed: boolean }>(
    `WITH renewed AS (
       UPDATE relayers SET lease_expires_at = clock_timestamp() + make_interval(secs => $4)
         FROM unnest($1::text[], $2::bigint[]) AS held (address, epoch)
        WHERE relayers.address = held.address AND relayers.lease_epoch = held.epoch AND lease_holder = $3
          AND lease_expires_at > clock_timestamp()
        RETURNING relayers.address
     )
     SELECT ${COLUMNS}, address IN (SELECT address FROM renewed) AS "isRenewed" FROM relayers ORDER BY created_at, address`,
    [leases.map((lease) => lease.address), leases.map((lease) => lease.epoch), holder, seconds],
  );
  return {
    all: rows.map(({ address, purpose, storedKey }) => ({ address, purpose, storedKey })),
    renewed: new Set(rows.filter(({ isRenewed }) => isRenewed).map(({ address }) => address)),
  };
}

/** Releases leases, so that the next holder need not wait until they expire. */
export async function releaseLeases(db: Database, leases: readonly Lease[]): Promise<void> {
  if (leases.length === 0) return;
  await db.query(
    `UPDATE relayers SET lease_holder = NULL, lease_expires_at = '-infinity'
       FROM unnest($1::text[], $2::bigint[]) AS held (address, epoch)
      WHERE relayers.address = held.address AND relayers.lease_epoch = held.epoch`,
    [leases.map((lease) => lease.address), leases.map((lease) => lease.epoch)],
  );
}

/**
 * Takes `count` consecutive nonces and returns the first. Nonces come from this row only. It stays locked until the
 * transaction ends, so every process may take them, and none is skipped.
 */
export async function takeNonces({ query }: Tx, relayer: Address, count: number): Promise<bigint> {
  const [row] = await query<{ first: bigint }>(
    'UPDATE relayers SET next_nonce = next_nonce + $2 WHERE address = $1 RETURNING next_nonce - $2 AS first',
    [relayer, count],
  );
  if (!row) throw new Error(`There is no relayer ${relayer}`);
  return row.first;
}

/** Locks the relayer's row. Returns the first nonce that {@link takeNonces} will take in this transaction. */
export async function lockNextNonce({ query }: Tx, relayer: Address): Promise<bigint> {
  const [row] = await query<{ first: bigint }>(
    'SELECT next_nonce AS first FROM relayers WHERE address = $1 FOR NO KEY UPDATE',
    [relayer],
  );
  if (!row) throw new Error(`There is no relayer ${relayer}`);
  return row.first;
}

/** The relayer that signs for the command line. */
export async function findOperator({ query }: Queries): Promise<Relayer> {
  const operator = (await listRelayers({ query })).find(({ purpose }) => purpose === 'operator');
  if (!operator) throw new Error('There is no relayer of the operator');
  return operator;
}

/** The nonce that each relayer's next transaction will get. */
export async function readNextNonces({ query }: Queries): Promise<Map<Address, bigint>> {
  const rows = await query<{ address: Address; nonce: bigint }>('SELECT address, next_nonce AS nonce FROM relayers');
  return new Map(rows.map(({ address, nonce }) => [address, nonce]));
}

/** The nonce the relayer's next transaction will get. */
export async function nextNonce({ query }: Queries, address: Address): Promise<bigint> {
  const [row] = await query<{ nonce: bigint }>('SELECT next_nonce AS nonce FROM relayers WHERE address = $1', [
    address,
  ]);
  if (!row) throw new Error(`There is no relayer ${address}`);
  return row.nonce;
}

/** The chain has more transactions of the relayer than the database knows: the next one gets at least nonce `nonce`. */
export async function raiseNextNonce({ query }: Tx, address: Address, nonce: number): Promise<void> {
  await query('UPDATE relayers SET next_nonce = greatest(next_nonce, $2) WHERE address = $1', [address, nonce]);
}

/** The sealed keys of relayers. */
export const SEALED_RELAYER_KEYS: SealedRows = {
  list: ({ query }, key, after, most) =>
    query(
      `SELECT address AS id, sealed_key AS sealed, 'account ' || address AS context FROM relayers
        WHERE substring(sealed_key FOR 4) <> $1 AND address > $2 ORDER BY address LIMIT $3`,
      [key, after, most],
    ),
  async replace({ query }, values) {
    for (const { id, sealed, anew } of values) {
      await query('UPDATE relayers SET sealed_key = $3 WHERE address = $1 AND sealed_key = $2', [id, sealed, anew]);
    }
  },
};
