import type { Address } from '../../base/address.ts';
import type { Hash } from '../../base/hex.ts';
import type { TransferId } from '../../base/ids.ts';
import type { Relayer } from '../../chain/relayers.ts';
import {
  authorizationDigest,
  authorizationNonce,
  type ContractCall,
  cancel,
  cancellationDigest,
  carry,
  joinSignature,
  type SignedAuthorization,
} from '../../chain/token.ts';
import { type SignedTransaction, signTransaction } from '../../chain/transaction.ts';
import { openSigner } from '../../custody/signer.ts';
import type { Query } from '../../db/database.ts';
import { sealedKeys } from '../../ledger/accounts.ts';
import type { Service } from '../service.ts';
import type { Leg } from './splits.ts';

/** Signs the payers' authorizations (ERC-3009). Payers whose key is not ours are left out. */
export async function signAuthorizations(
  db: { query: Query },
  { vault, chain }: Pick<Service, 'vault' | 'chain'>,
  legs: readonly Leg[],
): Promise<Map<TransferId, SignedAuthorization>> {
  const keys = await sealedKeys(db, [...new Set(legs.map((leg) => leg.from))]);
  const signers = new Map<Address, ReturnType<typeof openSigner>>();
  const signed = new Map<TransferId, SignedAuthorization>();
  for (const { transferId, from, to, amount } of legs) {
    const sealedKey = keys.get(from);
    if (!sealedKey) continue;
    let signer = signers.get(from);
    if (!signer) {
      signer = openSigner(vault, from, sealedKey);
      signers.set(from, signer);
    }
    const authorization = { from, to, amount, nonce: authorizationNonce(transferId) };
    const signature = joinSignature(signer.sign(authorizationDigest(chain.domain, authorization)));
    signed.set(transferId, { ...authorization, signature });
  }
  return signed;
}

/** The call that one transaction makes, and the transfers it carries. */
export type Bundle = { readonly payload: readonly TransferId[]; readonly call: ContractCall };

export type SignedBundle = Bundle & SignedTransaction & { readonly relayer: Address; readonly nonce: bigint };

/** The bundle that pays these transfers. */
export function payment(
  { chain }: Pick<Service, 'chain'>,
  authorizations: readonly (readonly [TransferId, SignedAuthorization])[],
): Bundle {
  return {
    payload: authorizations.map(([id]) => id),
    call: carry(
      chain.contracts,
      authorizations.map(([, authorization]) => authorization),
    ),
  };
}

/** The bundle that cancels a transfer's authorization, signed with the payer's key. */
export function cancellation(
  { vault, chain }: Pick<Service, 'vault' | 'chain'>,
  { id, from, nonce }: { readonly id: TransferId; readonly from: Address; readonly nonce: Hash },
  sealedKey: Uint8Array,
): Bundle {
  const signature = joinSignature(
    openSigner(vault, from, sealedKey).sign(cancellationDigest(chain.domain, from, nonce)),
  );
  return { payload: [id], call: cancel(chain.contracts, from, nonce, signature) };
}

/** Signs one transaction for each bundle, with the relayer's nonces from `firstNonce` on and the current fees. */
export function signBundles(
  { vault, chain, settlement }: Pick<Service, 'vault' | 'chain' | 'settlement'>,
  relayer: Relayer,
  firstNonce: bigint,
  parcels: readonly Bundle[],
): SignedBundle[] {
  const { sign } = openSigner(vault, relayer.address, relayer.sealedKey);
  return parcels.map((parcel, i) => {
    const nonce = firstNonce + BigInt(i);
    const signed = signTransaction({ chainId: chain.chainId, nonce, ...parcel.call, fees: settlement.fees }, sign);
    return { ...parcel, ...signed, relayer: relayer.address, nonce };
  });
}
