import { type Hash, hexToBytes } from '../../base/hex.ts';
import { hashColumn } from '../../db/columns.ts';
import type { Queries } from '../../db/database.ts';
import { NONCE_COLUMN, nonceOf, type Transfer } from './transfers.ts';

/**
 * Of the authorizations the chain shows as used or cancelled, those that belong to no transfer of ours. `shared`: reads up to which block
 * the chain has the blocks of the ledger. Transfers that later ones have settled may be settled on the chain in any other block. A failed
 * transfer does not know what was paid in the block that failed it: its authorization had paid something else.
 */
export async function authorizationsWithoutTransfer<
  Shown extends { readonly nonce: Hash; readonly block: bigint; readonly kind?: 'used' | 'canceled' },
>({ query }: Queries, shown: readonly Shown[], shared: () => Promise<bigint>): Promise<Shown[]> {
  if (shown.length === 0) return [];
  const nonces = shown.map(({ nonce }) => hexToBytes(nonce));
  const open = await query<{ nonce: Hash }>(
    `SELECT ${hashColumn('authorization_nonce')} AS nonce FROM open_transfers WHERE authorization_nonce = ANY($1::bytea[])`,
    [nonces],
  );
  const isOpen = new Set(open.map(({ nonce }) => nonce));
  const others = shown.filter(({ nonce }) => !isOpen.has(nonce));
  if (others.length === 0) return [];
  // A follower may post blocks or rewind them in the meantime. One statement sees each transfer either open or settled.
  const candidates = await query<Pick<Transfer, 'id' | 'authorizationNonce'> & { readonly kind: Shown['kind'] | null }>(
    `SELECT transfer_id AS id, ${hashColumn('authorization_nonce')} AS "authorizationNonce", NULL AS kind FROM open_transfers
      WHERE authorization_nonce = ANY($1::bytea[])
     UNION ALL
     SELECT id, ${NONCE_COLUMN}, CASE WHEN decided_block <= $2 THEN CASE status WHEN 'failed' THEN 'canceled' ELSE 'used' END END
       FROM transfers WHERE decided_block > $2 OR decided_block = ANY($3)`,
    [nonces, await shared(), [...new Set(others.map(({ block }) => block))]],
  );
  const known = new Set(candidates.map((candidate) => `${candidate.kind} ${nonceOf(candidate)}`));
  return others.filter(({ nonce, kind = 'used' }) => !known.has(`null ${nonce}`) && !known.has(`${kind} ${nonce}`));
}
