import type { Address } from '../base/address.ts';
import type { Hash } from '../base/hex.ts';
import type { Queries, Tx } from '../db/database.ts';

/** The evidence that the database is older than the chain, as stored (JSON). */
export type Findings = {
  /** Relayers that have more transactions on the chain than nonces in the database. */
  readonly relayers: readonly { readonly relayer: Address; readonly chain: number; readonly database: number }[];
  /** The first authorizations of our accounts that the chain has used or cancelled and the database does not know. */
  readonly authorizations: readonly {
    readonly account: Address;
    readonly kind: 'used' | 'canceled';
    readonly nonce: Hash;
    readonly txId: Hash;
    readonly block: number;
  }[];
  /** How many such authorizations there are in total. */
  readonly authorizationsInAll: number;
};

export type Suspension = { readonly findings: Findings; readonly since: Date };

/** Null if payments are not suspended. */
export async function readSuspension({ query }: Queries): Promise<Suspension | null> {
  const [row] = await query<Suspension>('SELECT findings, since FROM suspension WHERE accepted_at IS NULL');
  return row ?? null;
}

/**
 * Suspends payments in all processes. The first findings stay: the follower continues, so later checks find less. `knownBlock`: the last
 * block that the database shares with the chain; 0 if that is not known. After a loss that nothing was restored of, the lower one counts.
 */
export async function suspend({ query }: Queries, findings: Findings, knownBlock = 0n): Promise<void> {
  await query(
    `INSERT INTO suspension AS earlier (findings, known_block) VALUES ($1, $2)
     ON CONFLICT (singleton) DO UPDATE SET findings = excluded.findings, since = excluded.since, accepted_at = NULL,
       known_block = least(earlier.known_block, excluded.known_block)
       WHERE earlier.accepted_at IS NOT NULL`,
    [JSON.stringify(findings), knownBlock],
  );
}

/**
 * The last block that a restored database knew from before, by which all that it lacks is in later ones. It is kept until a restore has found
 * everything, also while payments are accepted. Null if no restore is due.
 */
export async function readKnownBlock({ query }: Queries): Promise<bigint | null> {
  const [row] = await query<{ block: bigint }>('SELECT known_block AS block FROM suspension');
  return row?.block ?? null;
}

/** Payments continue. False if there is another suspension by now, or none. */
export async function endSuspension({ query }: Tx, { since }: Suspension): Promise<boolean> {
  const rows = await query(
    `UPDATE suspension SET accepted_at = now()
      WHERE accepted_at IS NULL AND date_trunc('milliseconds', since) = $1 RETURNING singleton`,
    [since],
  );
  return rows.length > 0;
}

/** A restore has found everything, and payments continue. */
export async function forgetKnownBlock({ query }: Queries): Promise<void> {
  await query('DELETE FROM suspension WHERE accepted_at IS NOT NULL');
}
