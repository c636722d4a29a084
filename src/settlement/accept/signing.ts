import type { Address } from '../../base/address.ts';
import { newTransferId, type TransferId } from '../../base/ids.ts';
import { asQuarters, type Quarters } from '../../base/quarters.ts';
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
import { markToPay, nonceOfPayment, type PaymentName } from '../../custody/payment-nonces.ts';
import { signMany } from '../../custody/sign-many.ts';
import { openSigner } from '../../custody/signer.ts';
import type { Query, Tx } from '../../db/database.ts';
import { storedKeys } from '../../ledger/accounts.ts';
import type { Claim } from '../../ledger/reward-claims.ts';
import type { Instruction } from '../../service/instruction.ts';
import type { Service, Settlement } from '../../service/service.ts';
import { nonceOf, type Transfer } from '../tables/transfers.ts';
import { type RewardPart, sumOf } from './decision.ts';
import { isNamedOnArrival, paymentNameOf } from './payment-name.ts';

/** One transfer of an instruction, with what it pays. */
export type Leg = Pick<Instruction, 'transferId' | 'from' | 'to' | 'toKey' | 'amount'> & { readonly name: PaymentName };

/** The transfer of an instruction of which a reward pays nothing, if it is known already what it pays. */
export function legOnArrival(instruction: Instruction): Leg {
  return { ...instruction, name: paymentNameOf(instruction, 0) };
}

/** How an accepted instruction is paid: by the payer, by the treasury if a reward covers it, or by both. */
export type Split = {
  readonly instruction: Instruction;
  /** One or two, in one Ethereum transaction. The first has the instruction's own transfer id. */
  readonly legs: readonly Leg[];
  readonly claims: readonly Claim[];
  /** What the payer pays. The treasury's part has been held since the reward was granted. */
  readonly own: Quarters;
};

/**
 * Splits an instruction: the treasury pays what is claimed of rewards, the payer the rest. `treasury`: null if nothing
 * is claimed. `refundsBefore`: see {@link paymentNameOf}.
 */
export function toSplit(
  instruction: Instruction,
  rewards: readonly RewardPart[],
  treasury: Address | null,
  refundsBefore: number,
): Split {
  const { transferId, from, to, amount, origin } = instruction;
  const name = paymentNameOf(instruction, refundsBefore);
  const reward = sumOf(rewards);
  const own = asQuarters(amount - reward);
  if (reward === 0n || !treasury || origin.kind !== 'approval')
    return { instruction, legs: [{ transferId, from, to, amount, name }], claims: [], own };
  const rewardLeg: Leg = {
    transferId: own === 0n ? transferId : newTransferId(),
    ...{ from: treasury, to, amount: reward, name: { kind: 'reward', request: origin.requestId } },
  };
  return {
    instruction,
    legs: own === 0n ? [rewardLeg] : [{ transferId, from, to, amount: own, name }, rewardLeg],
    claims: rewards.map((part) => ({ ...part, transferId: rewardLeg.transferId })),
    own,
  };
}

type Signing = Pick<Service, 'vault' | 'chain'>;
type Naming = Signing & Pick<Service, 'readiness'>;

/** Makes and signs the payers' authorizations (ERC-3009). Payers whose key is not ours are left out. */
export async function newAuthorizations(
  db: { query: Query },
  deps: Naming,
  legs: readonly Leg[],
): Promise<Map<TransferId, SignedAuthorization>> {
  const unread = legs.flatMap(({ to, toKey }) => (toKey === undefined ? [to] : []));
  const keys = await storedKeys(db, [...new Set([...legs.map(({ from }) => from), ...unread])]);
  const { seed } = deps.vault;
  const named = legs.map(({ transferId, from, to, toKey = keys.get(to) ?? null, amount, name }) => {
    const what = markToPay(seed, name, deps.readiness.recovered?.cancelled ?? null);
    const nonce = nonceOfPayment(seed, from, what, toKey);
    return { transferId, authorization: { from, to, amount, nonce } };
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
  const named = transfers.map((transfer) => {
    const { id, from, to, amount } = transfer;
    return { transferId: id, authorization: { from, to, amount, nonce: nonceOf(transfer) } };
  });
  return sign(deps, keys, named);
}

async function sign(
  { vault, chain }: Signing,
  keys: ReadonlyMap<Address, Uint8Array>,
  all: readonly { readonly transferId: TransferId; readonly authorization: Authorization }[],
): Promise<Map<TransferId, SignedAuthorization>> {
  const unsigned = all.filter(({ authorization }) => keys.has(authorization.from));
  const signatures = await signMany(
    vault,
    unsigned.map(({ authorization }) => ({
      address: authorization.from,
      storedKey: keys.get(authorization.from)!,
      digest: authorizationDigest(chain.domain, authorization),
    })),
  );
  return new Map(
    unsigned.map(({ transferId, authorization }, i) => [
      transferId,
      { ...authorization, signature: joinSignature(signatures[i]!) },
    ]),
  );
}

/** Only under the lock is it known how much a reward pays, and how many refunds came before, so these are signed now. */
export async function signSplits(
  tx: Tx,
  deps: Naming,
  splits: readonly Split[],
  presigned: ReadonlyMap<TransferId, SignedAuthorization>,
): Promise<ReadonlyMap<TransferId, SignedAuthorization>> {
  const legs = splits
    .filter(({ claims, instruction }) => claims.length > 0 || !isNamedOnArrival(instruction))
    .flatMap((split) => split.legs);
  return legs.length === 0 ? presigned : new Map([...presigned, ...(await newAuthorizations(tx, deps, legs))]);
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
    const unsigned = { chainId: chain.chainId, nonce, ...bundle.call, fees: settlement.fees };
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
