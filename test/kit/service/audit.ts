import assert from 'node:assert/strict';
import { asAddress } from '../../../src/base/address.ts';
import type { Service } from '../../../src/service/service.ts';

/**
 * The ledger equals the chain for each account, and holds equal what is on its way. Call it when everything is settled.
 */
export async function assertLedgerIsChain({ db, rpc, chain }: Service): Promise<void> {
  const accounts = await db.query<{ address: string; posted: bigint; held: bigint }>(
    'SELECT address, posted, held FROM accounts ORDER BY address',
  );
  for (const { address, posted } of accounts) {
    // Supply comes from the zero address, for which the token has no balance.
    const data = /^0x0+$/.test(address) ? '0x18160ddd' : `0x70a08231${asAddress(address).slice(2).padStart(64, '0')}`;
    const onChain = BigInt(await rpc.call<string>('eth_call', [{ to: chain.contracts.token, data }, 'latest']));
    assert.equal(/^0x0+$/.test(address) ? -posted : posted, onChain, `ledger of ${address}`);
  }
  await assertHoldsAreTransfers({ db });
}

/**
 * At any moment, in one look: each account's hold is the sum of its transfers on their way, and the treasury's also of
 * unclaimed rewards. Of each reward exactly as much is claimed as transfers have claimed.
 */
export async function assertHoldsAreTransfers({ db }: Pick<Service, 'db'>): Promise<void> {
  const differing = await db.query(
    `SELECT 'hold of ' || address AS what, held AS is, coalesce(on_its_way, 0) + coalesce(unclaimed, 0) AS should_be FROM accounts
       LEFT JOIN (SELECT from_address, sum(amount)::bigint AS on_its_way FROM transfers
                   WHERE status IN ('approved', 'submitted') GROUP BY from_address) AS sums ON from_address = address
       LEFT JOIN (SELECT 'treasury' AS kind, sum(greatest(amount - claimed, 0))::bigint AS unclaimed FROM rewards) AS rest USING (kind)
      WHERE held <> coalesce(on_its_way, 0) + coalesce(unclaimed, 0)
     UNION ALL
     SELECT 'claimed of reward ' || id, claimed, coalesce(sum, 0) FROM rewards LEFT JOIN (
       SELECT reward_id, sum(reward_claims.amount)::bigint AS sum FROM reward_claims JOIN transfers ON id = transfer_id
        WHERE status <> 'failed' GROUP BY reward_id) AS claims ON reward_id = id
      WHERE claimed <> coalesce(sum, 0)`,
  );
  assert.deepEqual(differing, [], 'holds differ from transfers on their way and unclaimed rewards');
}
