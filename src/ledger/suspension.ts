import type { Address } from '../base/address.ts';
import type { Hash } from '../base/hex.ts';
import type { Query, Tx } from '../db/database.ts';

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
export async function readSuspension({ query }: { query: Query }): Promise<Suspension | null> {
  const [row] = await query<Suspension>('SELECT findings, since FROM suspension');
  return row ?? null;
}

/** Suspends payments in all processes. The first findings stay: the follower continues, so later checks find less. */
export async function suspend({ query }: { query: Query }, findings: Findings): Promise<void> {
  await query('INSERT INTO suspension (findings) VALUES ($1) ON CONFLICT DO NOTHING', [JSON.stringify(findings)]);
}

/** False if there is another suspension by now, or none. */
export async function endSuspension({ query }: Tx, { since }: Suspension): Promise<boolean> {
  const rows = await query(`DELETE FROM suspension WHERE date_trunc('milliseconds', since) = $1 RETURNING singleton`, [
    since,
  ]);
  return rows.length > 0;
}

/** Of the authorizations the chain shows as used or cancelled, those of our accounts. */
export async function authorizationsOfOurs<Shown extends { readonly authorizer: Address }>(
  { query }: { query: Query },
  shown: readonly Shown[],
): Promise<Shown[]> {
  if (shown.length === 0) return [];
  const rows = await query<{ address: string }>(
    `SELECT address FROM accounts WHERE address = ANY($1) AND kind <> 'external'`,
    [[...new Set(shown.map(({ authorizer }) => authorizer))]],
  );
  const ours = new Set(rows.map(({ address }) => address));
  return shown.filter(({ authorizer }) => ours.has(authorizer));
}
