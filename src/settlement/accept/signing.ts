import type { Address } from '../../base/address.ts';
import type { TransferId } from '../../base/ids.ts';
import type { Relayer } from '../../chain/relayers.ts';
import {
  type Authorization,
  authorizationDigest,
  type ContractCall,
  cancel,
  cancellationDigest,
  carry,
  joinSignature,
  type SignedAuthorization,
} from '../../chain/token.ts';
import { prepareTransaction, type SignedTransaction } from '../../chain/transaction.ts';
import { nameToPay, nonceOfPayment } from '../../custody/payment-nonces.ts';
import { signMany } from '../../custody/sign-many.ts';
import { openSigner } from '../../custody/signer.ts';
import type { Query, Tx } from '../../db/database.ts';
import { storedKeys } from '../../ledger/accounts.ts';
import type { Service, Settlement } from '../../service/service.ts';
import { limitsOf } from '../gas-limits.ts';
import { nonceOf, type Transfer } from '../tables/transfers.ts';
import type { Leg, Split } from './split.ts';

type Signing = Pick<Service, 'vault' | 'chain'>;
type Naming = Signing & Pick<Service, 'readiness'>;

/** Makes and signs the payers' authorizations (ERC-3009), in the order of the legs; null of a payer whose key is not ours. */
export async function newAuthorizations(
  db: { query: Query },
  deps: Naming,
  legs: readonly Leg[],
): Promise<(SignedAuthorization | null)[]> {
  const unread = legs.flatMap(({ to, toKey, onBehalfOf }) => onBehalfOf ?? (toKey === undefined ? [to] : []));
  const keys = await storedKeys(db, [...new Set([...legs.map(({ from }) => from), ...unread])]);
  const { seed } = deps.vault;
  const named = legs.map(({ from, to, toKey, amount, name, onBehalfOf }): Authorization => {
    const what = nameToPay(seed, name, deps.readiness.recovered?.cancelled ?? null);
    const whom = onBehalfOf || toKey === undefined ? (keys.get(onBehalfOf ?? to) ?? null) : toKey;
    return { from, to, amount, nonce: nonceOfPayment(seed, from, what, whom) };
  });
  return sign(deps, keys, named);
}

/** Signs the authorizations of stored transfers again. */
export async function authorizeAgain(
  db: { query: Query },
  deps: Signing,
  transfers: readonly Transfer[],
): Promise<Map<TransferId, SignedAuthorization>> {
  const keys = await storedKeys(db, [...new Set(transfers.map(({ from }) => from))]);
  const signed = await sign(
    deps,
    keys,
    transfers.map((transfer) => {
      const { from, to, amount } = transfer;
      return { from, to, amount, nonce: nonceOf(transfer) };
    }),
  );
  return byTransfer(
    transfers.map(({ id }) => id),
    signed,
  );
}

/** Without those that could not be signed. */
function byTransfer(
  ids: readonly TransferId[],
  signed: readonly (SignedAuthorization | null | undefined)[],
): Map<TransferId, SignedAuthorization> {
  return new Map(ids.flatMap((id, i) => (signed[i] ? [[id, signed[i]] as const] : [])));
}

async function sign(
  { vault, chain }: Signing,
  keys: ReadonlyMap<Address, Uint8Array>,
  all: readonly Authorization[],
): Promise<(SignedAuthorization | null)[]> {
  const unsigned = all.filter(({ from }) => keys.has(from));
  const signatures = await signMany(
    vault,
    unsigned.map((authorization) => ({
      address: authorization.from,
      storedKey: keys.get(authorization.from)!,
      digest: authorizationDigest(chain.domain, authorization),
    })),
  );
  const signed = new Map(unsigned.map((authorization, i) => [authorization, joinSignature(signatures[i]!)]));
  return all.map((authorization) => {
    const signature = signed.get(authorization);
    return signature ? { ...authorization, signature } : null;
  });
}

/**
 * The authorizations of accepted legs. Only under the lock is it known how much a reward pays, so those legs are signed now; what was signed on
 * arrival comes with the instruction.
 */
export async function signSplits(
  tx: Tx,
  deps: Naming,
  splits: readonly Split[],
): Promise<ReadonlyMap<TransferId, SignedAuthorization>> {
  const [rewarded, others] = [true, false].map((isRewarded) =>
    splits.filter(({ claims }) => claims.length > 0 === isRewarded),
  );
  const signed = byTransfer(
    others!.map(({ instruction }) => instruction.transferId),
    others!.map(({ instruction }) => instruction.authorization),
  );
  const legs = rewarded!.flatMap((split) => split.legs);
  if (legs.length === 0) return signed;
  const ids = legs.map(({ transferId }) => transferId);
  return new Map([...signed, ...byTransfer(ids, await newAuthorizations(tx, deps, legs))]);
}

/** The call that one transaction makes, and the transfers it carries. */
export type Bundle = { readonly payload: readonly TransferId[]; readonly call: ContractCall };

export type SignedBundle = Bundle & SignedTransaction & { readonly relayer: Address; readonly nonce: bigint };

/** The bundles that pay these splits. */
export function packBundles(
  deps: Pick<Service, 'chain' | 'settings'>,
  splits: readonly Split[],
  authorizations: ReadonlyMap<TransferId, SignedAuthorization>,
): Bundle[] {
  const signed = ({ transferId, from }: Leg): [TransferId, SignedAuthorization] => {
    const authorization = authorizations.get(transferId);
    if (!authorization) throw new Error(`The key of ${from} is not ours`);
    return [transferId, authorization];
  };
  return packLegs(splits, deps.settings.transfersPerTransaction).map((legs) => payment(deps, legs.map(signed)));
}

/**
 * The legs of each transaction, in order and as many as fit, but the legs of one split always together. (After a revert
 * they may continue separately, as each is backed by its own hold.)
 */
export function packLegs<Packed>(
  splits: readonly { readonly legs: readonly Packed[] }[],
  mostPerTransaction: number,
): Packed[][] {
  const packs: Packed[][] = [];
  for (const { legs } of splits) {
    const last = packs.at(-1);
    if (last && last.length + legs.length <= mostPerTransaction) last.push(...legs);
    else packs.push([...legs]);
  }
  return packs;
}

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
  transfer: Pick<Transfer, 'id' | 'from' | 'authorizationNonce'>,
  storedKey: Uint8Array,
): Bundle {
  const { id, from } = transfer;
  const nonce = nonceOf(transfer);
  const signature = joinSignature(
    openSigner(vault, from, storedKey).sign(cancellationDigest(chain.domain, from, nonce)),
  );
  return { payload: [id], call: cancel(chain.contracts, from, nonce, signature) };
}

/** Signs one transaction for each bundle, with the relayer's nonces from `firstNonce` on and the current fees. */
export async function signBundles(
  { vault, chain, settlement }: Pick<Service, 'vault' | 'chain' | 'settlement'>,
  { address, storedKey }: Relayer,
  firstNonce: bigint,
  bundles: readonly Bundle[],
): Promise<SignedBundle[]> {
  const prepared = bundles.map((bundle, i) => {
    const nonce = firstNonce + BigInt(i);
    const unsigned = { chainId: chain.chainId, nonce, ...bundle.call, ...limitsOf(settlement, bundle.call.gas) };
    return { ...bundle, nonce, ...prepareTransaction(unsigned) };
  });
  const signatures = await signMany(
    vault,
    prepared.map(({ digest }) => ({ address, storedKey, digest })),
  );
  return prepared.map(({ payload, call, nonce, finish }, i) => {
    return { payload, call, relayer: address, nonce, ...finish(signatures[i]!) };
  });
}

type Relayers = Pick<Settlement, 'relayers' | 'leases'>;

/**
 * The relayer whose nonces are taken next. Any process may take nonces of any relayer, because they come from the
 * locked row. Relayers that this process sends for are preferred: processes then wait for each other's rows only if
 * there are fewer relayers than processes.
 */
export function chooseRelayer(settlement: Relayers, turn: number): Relayer {
  const own = settlement.relayers.filter((relayer) => isHeld(settlement, relayer));
  const relayers = own.length > 0 ? own : settlement.relayers;
  const relayer = relayers[turn % relayers.length];
  if (!relayer) throw new Error('There is no relayer');
  return relayer;
}

/** Whether this process sends for the relayer. */
export function isHeld({ leases }: Pick<Settlement, 'leases'>, { address }: Relayer): boolean {
  return leases.some((lease) => lease.address === address);
}

/** The relayers that this process signs with: the oldest ones, as many as configured. */
export function relayersInUse(all: readonly Relayer[], { relayers = 1 }: Service['settings']): Relayer[] {
  return all.filter(({ purpose }) => purpose === 'settlement').slice(0, relayers);
}
