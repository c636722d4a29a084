import type { Address } from '../base/address.ts';
import type { Hash } from '../base/hex.ts';
import type { Query, Tx } from '../db/database.ts';

/** What shows that the database is older than the chain, as it is stored (JSON). */
export type Findings = {
  /** Relayers with more transactions on the chain than the database has given them nonces. */
  readonly relayers: readonly { readonly relayer: Address; readonly chain: number; readonly database: number }[];
  /** What accounts of ours paid or cancelled on the chain, without a transfer in the database; the first ones. */
  readonly authorizations: readonly {
    readonly account: Address;
    readonly kind: 'used' | 'canceled';
    readonly nonce: Hash;
    readonly txId: Hash;
    readonly block: number;
  }[];
  /** How many of those there are in all. */
  readonly authorizationsInAll: number;
};

export type Suspension = { readonly findings: Findings; readonly since: Date };

/** Null where nothing keeps payments from being decided. */
export async function readSuspension({ query }: { query: Query }): Promise<Suspension | null> {
  const [row] = await query<Suspension>('SELECT findings, since FROM suspension');
  return row ?? null;
}

/** From now on nothing is decided, in any process. What was found first stays: the follower goes on, and later looks find less. */
export async function suspend({ query }: { query: Query }, findings: Findings): Promise<void> {
  await query('INSERT INTO suspension (findings) VALUES ($1) ON CONFLICT DO NOTHING', [JSON.stringify(findings)]);
}

/** False where it is another suspension by now, or none. */
export async function endSuspension({ query }: Tx, { since }: Suspension): Promise<boolean> {
  const rows = await query(`DELETE FROM suspension WHERE date_trunc('milliseconds', since) = $1 RETURNING singleton`, [
    since,
  ]);
  return rows.length > 0;
}
