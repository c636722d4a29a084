import { nextNonce, type Relayer } from '../../chain/relayers.ts';
import { readNonce } from '../../chain/state.ts';
import { signTransaction } from '../../chain/transaction.ts';
import { openSigner } from '../../custody/signer.ts';
import { insertTransactions, lowestStoredNonce } from '../../transfers/transactions.ts';
import type { Service } from '../service.ts';

/** Filled in one go. */
const MOST = 100n;
/** What a transaction that does nothing takes (EIP-2028: the intrinsic gas without data). */
const INTRINSIC_GAS = 21_000n;

/**
 * Nonces from the chain's next one on that the database has no transaction for: after it was put back from a backup, what had used them may
 * be dropped from the pool, or orphaned with its block, and no later nonce is mined before them. Each gets a transaction of the
 * relayer to itself that does nothing. Those the node still has something for are left to it.
 *
 * `onChain`: the chain's next nonce. Returns true where there were any.
 */
export async function fillMissingNonces(service: Service, relayer: Relayer, onChain: bigint): Promise<boolean> {
  const { db, rpc, chain, vault, settlement, log } = service;
  const { address } = relayer;
  const known = (await lowestStoredNonce(db, address, onChain)) ?? (await nextNonce(db, address));
  if (known <= onChain || (await readNonce(rpc, address, 'pending')) > onChain) return false;
  const count = known - onChain < MOST ? known - onChain : MOST;
  const { sign } = openSigner(vault, address, relayer.sealedKey);
  const fillers = Array.from({ length: Number(count) }, (_, i) => {
    const nonce = onChain + BigInt(i);
    const nothing = { chainId: chain.chainId, nonce, to: address, data: '0x', gas: INTRINSIC_GAS } as const;
    return { ...signTransaction({ ...nothing, fees: settlement.fees }, sign), relayer: address, nonce, cargo: [] };
  });
  await db.transaction((tx) => insertTransactions(tx, fillers));
  log.warn({ relayer: address, from: Number(onChain), count: Number(count) }, 'nonces that nothing used were filled');
  return true;
}
