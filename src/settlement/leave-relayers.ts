import type { Address } from '../base/address.ts';
import { insertRelayer, type Relayer, raiseNextNonce, retireRelayer, takeNonces } from '../chain/relayers.ts';
import type { ContractCall } from '../chain/token.ts';
import { handOverCalls } from '../chain/token-roles.ts';
import { signTransaction } from '../chain/transaction.ts';
import type { CreatedKey } from '../custody/new-keys.ts';
import { sealOldKey } from '../custody/seed-replacement.ts';
import { openSigner } from '../custody/signer.ts';
import type { Tx } from '../db/database.ts';
import type { Service } from '../service/service.ts';
import { insertTransactions } from './tables/transactions.ts';

/** A relayer that is left for a new one. `wei`: what it has. `nonce`: the first that is free on the chain. */
export type LeftRelayer = Relayer & { readonly wei: bigint; readonly nonce: bigint; readonly replacement: CreatedKey };

/** What a plain transfer of ether costs (the intrinsic gas without data, EIP-2028). */
const GAS_ETHER = 21_000n;
/** So much more than now may gas cost when it is sent. */
const MARGIN = 2n;

type Deps = Pick<Service, 'vault' | 'chain' | 'settlement'>;

/**
 * Retires relayers and stores their last transactions, signed with the keys that somebody else knows too: the operator's gives the token's
 * roles to the new operator, and each sends the new one its ether. They are sent like all others, as soon as a service runs.
 */
export async function leaveRelayers(tx: Tx, deps: Deps, left: readonly LeftRelayer[]): Promise<void> {
  for (const { replacement, purpose, ...relayer } of left) {
    const { address } = relayer;
    await raiseNextNonce(tx, address, Number(relayer.nonce));
    const calls = lastCalls(deps, { ...relayer, purpose, replacement });
    const first = await takeNonces(tx, address, calls.length);
    const { sign } = openSigner(deps.vault, address, relayer.storedKey);
    const { chainId } = deps.chain;
    const signed = calls.map((call, i) => {
      const nonce = first + BigInt(i);
      const transaction = { chainId, nonce, ...call, fees: deps.settlement.fees };
      return { ...signTransaction(transaction, sign), relayer: address, nonce, payload: [] };
    });
    if (signed.length > 0) await insertTransactions(tx, signed);
    await retireRelayer(tx, address, sealOldKey(deps.vault, relayer));
    await insertRelayer(tx, { ...replacement, purpose });
  }
}

type LastCall = ContractCall & { readonly value?: bigint };

function lastCalls({ chain, settlement }: Deps, { address, purpose, wei, replacement }: LeftRelayer): LastCall[] {
  const calls = purpose === 'operator' ? handOverCalls(chain.contracts.token, address, replacement.address) : [];
  const gas = calls.reduce((sum, call) => sum + call.gas, GAS_ETHER);
  const value = wei - gas * settlement.fees.maxFeePerGas * MARGIN;
  return value > 0n ? [...calls, etherTo(replacement.address, value)] : calls;
}

const etherTo = (to: Address, value: bigint): LastCall => ({ to, data: new Uint8Array(), gas: GAS_ETHER, value });
