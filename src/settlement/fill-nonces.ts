import { nextNonce, type Relayer } from '../chain/relayers.ts';
import { readNonce } from '../chain/state.ts';
import { signTransaction } from '../chain/transaction.ts';
import { openSigner } from '../custody/signer.ts';
import type { Service } from './service.ts';
import { insertTransactions, lowestStoredNonce } from './tables/transactions.ts';

/** The most nonces filled at once. */
const MOST = 100n;
/** The gas of a transaction that does nothing (the intrinsic gas without data, EIP-2028). */
const INTRINSIC_GAS = 21_000n;

/**
 * Fills nonces from the chain's next one on for which the database has no transaction. After a restored backup, the
 * transactions that used them may have left the pool, or been orphaned with their block, and no later nonce can be
 * mined before them. Each gets a transaction of the relayer to itself that does nothing. Nonces for which the node
 * still has a transaction are left alone.
 *
 * `onChain`: the chain's next nonce. Returns true if there were any.
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
  log.warn({ relayer: address, from: Number(onChain), count: Number(count) }, 'missing nonces were filled');
  return true;
}
