import type { Address } from '../base/address.ts';
import type { Hash } from '../base/hex.ts';
import type { Query } from '../db/database.ts';

/** Of what the chain shows as used or cancelled, that of accounts of ours which belongs to no transfer of ours. */
export async function unknownAuthorizations<Shown extends { readonly authorizer: Address; readonly nonce: Hash }>(
  { query }: { query: Query },
  shown: readonly Shown[],
): Promise<Shown[]> {
  if (shown.length === 0) return [];
  const rows = await query<{ place: bigint }>(
    `SELECT place FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS shown (authorizer, nonce, place)
       JOIN accounts ON accounts.address = shown.authorizer AND accounts.kind <> 'external'
      WHERE NOT EXISTS (
        SELECT FROM transfers
         WHERE transfers.authorization_nonce = shown.nonce AND transfers.from_address = shown.authorizer)
      ORDER BY place`,
    [shown.map(({ authorizer }) => authorizer), shown.map(({ nonce }) => nonce)],
  );
  return rows.map(({ place }) => shown[Number(place) - 1]!);
}
