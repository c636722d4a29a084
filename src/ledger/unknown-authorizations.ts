import type { Address } from '../base/address.ts';
import type { Query } from '../db/database.ts';

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
