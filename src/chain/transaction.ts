import { keccak256, parseTransaction, serializeTransaction } from 'viem/utils';
import { type Address, asAddress } from '../base/address.ts';
import { bytesToHex, type Hash, type Hex, hexToBytes } from '../base/hex.ts';
import type { Fees } from './fees.ts';
import type { Rpc, RpcReply } from './rpc.ts';

export type UnsignedTransaction = {
  readonly chainId: number;
  readonly nonce: bigint;
  /** Absent for the creation of a contract. */
  readonly to?: Address;
  readonly data: Hex;
  readonly gas: bigint;
  readonly fees: Fees;
};

/** Signed bytes and the hash they will have on the chain, known before anything is sent. */
export type SignedTransaction = { readonly raw: Buffer; readonly hash: Hash };

type SignDigest = (digest: Uint8Array) => { readonly rs: Uint8Array; readonly yParity: 0 | 1 };

/** Signs a type 2 transaction (EIP-1559, EIP-2718). */
export function signTransaction(transaction: UnsignedTransaction, sign: SignDigest): SignedTransaction {
  const fields = {
    type: 'eip1559' as const,
    chainId: transaction.chainId,
    nonce: Number(transaction.nonce),
    ...(transaction.to && { to: transaction.to }),
    data: transaction.data,
    gas: transaction.gas,
    maxFeePerGas: transaction.fees.maxFeePerGas,
    maxPriorityFeePerGas: transaction.fees.maxPriorityFeePerGas,
    value: 0n,
  };
  const { rs, yParity } = sign(hexToBytes(keccak256(serializeTransaction(fields))));
  const raw = serializeTransaction(fields, {
    r: bytesToHex(rs.subarray(0, 32)),
    s: bytesToHex(rs.subarray(32, 64)),
    yParity,
  });
  return { raw: hexToBytes(raw), hash: keccak256(raw) as Hash };
}

/** Reads a stored transaction of ours, to sign it again with another fee or gas limit. */
export function readTransaction(raw: Uint8Array): UnsignedTransaction {
  const parsed = parseTransaction(bytesToHex(raw) as `0x02${string}`);
  return {
    chainId: parsed.chainId,
    nonce: BigInt(parsed.nonce ?? 0),
    ...(parsed.to && { to: asAddress(parsed.to) }),
    data: parsed.data ?? '0x',
    gas: parsed.gas ?? 0n,
    fees: { maxFeePerGas: parsed.maxFeePerGas ?? 0n, maxPriorityFeePerGas: parsed.maxPriorityFeePerGas ?? 0n },
  };
}

/**
 * A node's answer to a raw transaction. `accepted`: it has the transaction, now or already. `nonce-too-low`: the nonce
 * is used, and the chain shows by what. `rejected`: it refuses these bytes for a reason that may or may not pass.
 * `unknown`: no usable answer.
 */
export type SendReply = {
  readonly kind: 'accepted' | 'nonce-too-low' | 'rejected' | 'unknown';
  readonly reason: string;
  /** Present if a corrected attempt can fix the rejection. */
  readonly fault?: 'fee-too-low' | 'gas-too-high' | 'gas-too-low';
};

// Nodes agree on the meaning, but not on the wording: geth, reth, Erigon, Nethermind, Besu, anvil.
const ALREADY_KNOWN = /already known|already imported|alreadyknown|\bknown transaction|already exists/i;
const NONCE_TOO_LOW = /nonce(?: is)? too low|oldnonce|nonce_too_low|nonce .*lower than/i;

const FAULTS = [
  [
    'fee-too-low',
    /underpriced|less than block base fee|fee ?cap (?:is )?(?:too low|less)|max fee per gas less|feetoolow|gas price.*too low/i,
  ],
  [
    'gas-too-high',
    /exceeds (?:the )?(?:block )?gas limit|gas limit (?:is )?too high|exceeds block|intrinsic gas too high|gaslimitexceeded/i,
  ],
  ['gas-too-low', /intrinsic gas too low|gas limit (?:is )?too low|out of gas/i],
] as const;

/** Sends raw transactions to the node in one batch, in order. Sending the same bytes twice is harmless. */
export async function sendRawTransactions(rpc: Rpc, raws: readonly Uint8Array[]): Promise<SendReply[]> {
  const replies = await rpc.batch(raws.map((raw) => ({ method: 'eth_sendRawTransaction', params: [bytesToHex(raw)] })));
  return replies.map(classify);
}

function classify(reply: RpcReply): SendReply {
  if (reply.kind === 'result') return { kind: 'accepted', reason: '' };
  if (reply.kind === 'unknown') return { kind: 'unknown', reason: reply.reason };
  if (ALREADY_KNOWN.test(reply.message)) return { kind: 'accepted', reason: reply.message };
  if (NONCE_TOO_LOW.test(reply.message)) return { kind: 'nonce-too-low', reason: reply.message };
  const fault = FAULTS.find(([, words]) => words.test(reply.message))?.[0];
  return { kind: 'rejected', reason: reply.message, ...(fault && { fault }) };
}
