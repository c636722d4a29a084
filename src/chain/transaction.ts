import { type Address, asAddress } from '../base/address.ts';
import { asHash, bytesToHex, type Hash } from '../base/hex.ts';
import { keccak256 } from '../base/keccak.ts';
import { traced } from '../base/spans.ts';
import { isUnusable } from './endpoints.ts';
import type { Fees } from './fees.ts';
import { readRlpList, readRlpNumber, rlpList, rlpNumber, rlpString } from './rlp.ts';
import type { Rpc } from './rpc.ts';
import { readSendReply, type SendReply } from './send-reply.ts';

export type UnsignedTransaction = {
  readonly chainId: number;
  readonly nonce: bigint;
  /** Absent for the creation of a contract. */
  readonly to?: Address;
  readonly data: Uint8Array;
  /** Wei. Absent: none. */
  readonly value?: bigint;
  readonly gas: bigint;
  readonly fees: Fees;
};

/** Signed bytes and the hash they will have on the chain, known before anything is sent. */
export type SignedTransaction = { readonly raw: Buffer; readonly hash: Hash };

/** r ‖ s (64 bytes, s in the lower half, EIP-2) and the parity of y. */
type TransactionSignature = { readonly rs: Uint8Array; readonly yParity: 0 | 1 };

/** A transaction that lacks only its sender's signature of the 32 bytes of `digest`. */
export type PreparedTransaction = {
  readonly digest: Uint8Array;
  finish(signature: TransactionSignature): SignedTransaction;
};

/** The type that stands before the list of fields (EIP-2718). */
const TYPE_2 = '02';
const NO_ACCESS_LIST = rlpList([]);

/**
 * Encodes a type 2 transaction (EIP-1559, EIP-2718). The digest is of its fields, and the signed bytes
 * have the signature as three further ones. The chain id is a field of its own, not part of the signature as in EIP-155.
 */
export function prepareTransaction(transaction: UnsignedTransaction): PreparedTransaction {
  const { chainId, nonce, fees, gas, to, data, value = 0n } = transaction;
  const fields = [
    rlpNumber(BigInt(chainId)),
    rlpNumber(nonce),
    rlpNumber(fees.maxPriorityFeePerGas),
    rlpNumber(fees.maxFeePerGas),
    rlpNumber(gas),
    rlpString(to ? to.slice(2) : ''),
    rlpNumber(value),
    rlpString(bytesToHex(data).slice(2)),
    NO_ACCESS_LIST,
  ];
  return {
    digest: keccak256(Buffer.from(TYPE_2 + rlpList(fields), 'hex')),
    finish({ rs, yParity }) {
      // Numbers of a transaction have no leading zeros, r and s included.
      const [r, s] = [rs.subarray(0, 32), rs.subarray(32)].map((bytes) => rlpNumber(BigInt(bytesToHex(bytes))));
      const raw = Buffer.from(TYPE_2 + rlpList([...fields, rlpNumber(BigInt(yParity)), r!, s!]), 'hex');
      return { raw, hash: asHash(bytesToHex(keccak256(raw))) };
    },
  };
}

/** Signs a transaction of {@link prepareTransaction} at once. */
export function signTransaction(
  transaction: UnsignedTransaction,
  sign: (digest: Uint8Array) => TransactionSignature,
): SignedTransaction {
  const { digest, finish } = prepareTransaction(transaction);
  return finish(sign(digest));
}

/** Reads a stored transaction of ours, to sign it again with another fee or gas limit. */
export function readTransaction(raw: Buffer): UnsignedTransaction {
  if (raw[0] !== Number(TYPE_2)) throw new Error('The bytes are not a type 2 transaction');
  const [chainId, nonce, maxPriorityFeePerGas, maxFeePerGas, gas, to, value, data] = readRlpList(raw.subarray(1)) as [
    ...numbers: [Buffer, Buffer, Buffer, Buffer, Buffer],
    to: Buffer,
    value: Buffer,
    data: Buffer,
  ];
  return {
    chainId: Number(readRlpNumber(chainId)),
    nonce: readRlpNumber(nonce),
    ...(to.length > 0 && { to: asAddress(bytesToHex(to)) }),
    data,
    ...(value.length > 0 && { value: readRlpNumber(value) }),
    gas: readRlpNumber(gas),
    fees: { maxFeePerGas: readRlpNumber(maxFeePerGas), maxPriorityFeePerGas: readRlpNumber(maxPriorityFeePerGas) },
  };
}

/** Sends raw transactions to the node in one batch, in order. Sending the same bytes twice is harmless. */
export async function sendRawTransactions(rpc: Rpc, raws: readonly Uint8Array[]): Promise<SendReply[]> {
  const calls = raws.map((raw) => ({ method: 'eth_sendRawTransaction', params: [bytesToHex(raw)] }));
  const details = { attributes: { 'quarters.transactions': raws.length } };
  const replies = await traced('broadcast', details, () => rpc.batch(calls));
  return replies.map(readSendReply);
}

/** One HTTP request's worth. Later nonces wait for these in any case. */
const MOST_SPREAD = 100;

/**
 * Sends raw transactions to the other endpoints too, without waiting for their answers. The one that took them may not
 * pass them on, and the same bytes do no harm anywhere. The first of them only.
 */
export function spreadRawTransactions({ endpoints }: Rpc, raws: readonly Uint8Array[]): void {
  const others = endpoints?.all.filter((one) => one !== endpoints.chosen && !isUnusable(one) && one.answers) ?? [];
  const calls = raws
    .slice(0, MOST_SPREAD)
    .map((raw) => ({ method: 'eth_sendRawTransaction', params: [bytesToHex(raw)] }));
  // It never rejects.
  for (const { ask } of others) void ask(calls);
}
