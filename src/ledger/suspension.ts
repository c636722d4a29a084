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
  const [row] = await query<Suspension>('SELECT findings, since FROM suspension');
  return row ?? null;
}

/** Suspends payments in all processes. The first findings stay: the follower continues, so later checks find less. */
export async function suspend({ query }: Queries, findings: Findings): Promise<void> {
  await query('INSERT INTO suspension (findings) VALUES ($1) ON CONFLICT DO NOTHING', [JSON.stringify(findings)]);
}

/** False if there is another suspension by now, or none. */
export async function endSuspension({ query }: Tx, { since }: Suspension): Promise<boolean> {
  const rows = await query(`DELETE FROM suspension WHERE date_trunc('milliseconds', since) = $1 RETURNING singleton`, [
    since,
  ]);
  return rows.length > 0;
}
