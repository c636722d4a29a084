import { type Address, asAddress } from '../base/address.ts';
import { asHash, bytesToHex, type Hash } from '../base/hex.ts';
import { keccak256 } from '../base/keccak.ts';
import { traced } from '../base/spans.ts';
import { isUnusable } from './chain-endpoints.ts';
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
const NOTHING = rlpNumber(0n);

/**
 * Encodes a type 2 transaction (EIP-1559, EIP-2718), or a legacy one with replay protection (EIP-155) if its fees say so. The digest is of its
 * fields, and the signed bytes have the signature as three further ones.
 */
export function prepareTransaction(transaction: UnsignedTransaction): PreparedTransaction {
  const { chainId, nonce, fees, gas, to, data, value = 0n } = transaction;
  const ofChain = rlpNumber(BigInt(chainId));
  const call = [
    rlpNumber(gas),
    rlpString(to ? to.slice(2) : ''),
    rlpNumber(value),
    rlpString(bytesToHex(data).slice(2)),
  ];
  const price = rlpNumber(fees.maxFeePerGas);
  if (fees.isLegacy) {
    const fields = [rlpNumber(nonce), price, ...call];
    return prepared(rlpList([...fields, ofChain, NOTHING, NOTHING]), (yParity, rs) => {
      return rlpList([...fields, rlpNumber(legacyV(chainId) + BigInt(yParity)), ...rs]);
    });
  }
  const fields = [ofChain, rlpNumber(nonce), rlpNumber(fees.maxPriorityFeePerGas), price, ...call, NO_ACCESS_LIST];
  return prepared(TYPE_2 + rlpList(fields), (yParity, rs) => {
    return TYPE_2 + rlpList([...fields, rlpNumber(BigInt(yParity)), ...rs]);
  });
}

/** The signature of a legacy transaction names the chain: `v`, for an even y. */
const legacyV = (chainId: number) => BigInt(chainId) * 2n + 35n;

function prepared(unsigned: string, signed: (yParity: 0 | 1, rs: readonly string[]) => string): PreparedTransaction {
  return {
    digest: keccak256(Buffer.from(unsigned, 'hex')),
    finish({ rs, yParity }) {
      // Numbers of a transaction have no leading zeros, r and s included.
      const numbers = [rs.subarray(0, 32), rs.subarray(32)].map((bytes) => rlpNumber(BigInt(bytesToHex(bytes))));
      const raw = Buffer.from(signed(yParity, numbers), 'hex');
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
  if (raw[0] === Number(TYPE_2)) {
    const [chainId, nonce, tip, most, ...rest] = readRlpList(raw.subarray(1)) as FourNumbers;
    const fees = { maxFeePerGas: readRlpNumber(most), maxPriorityFeePerGas: readRlpNumber(tip), isLegacy: false };
    return { chainId: Number(readRlpNumber(chainId)), nonce: readRlpNumber(nonce), ...readCall(rest), fees };
  }
  const fields = readRlpList(raw);
  const [nonce, price] = fields.map(readRlpNumber);
  const v = fields.length === LEGACY_FIELDS ? readRlpNumber(fields[6]!) : 0n;
  if (v < legacyV(1)) throw new Error('The bytes are neither a type 2 transaction nor a legacy one of a chain');
  const fees = { maxFeePerGas: price!, maxPriorityFeePerGas: price!, isLegacy: true };
  return { chainId: Number((v - legacyV(0)) / 2n), nonce: nonce!, ...readCall(fields.slice(2)), fees };
}

type FourNumbers = [Buffer, Buffer, Buffer, Buffer, ...rest: Buffer[]];
const LEGACY_FIELDS = 9;

function readCall(fields: readonly Buffer[]): Pick<UnsignedTransaction, 'gas' | 'to' | 'value' | 'data'> {
  const [gas, to, value, data] = fields as [Buffer, Buffer, Buffer, Buffer];
  return {
    ...(to.length > 0 && { to: asAddress(bytesToHex(to)) }),
    data,
    ...(value.length > 0 && { value: readRlpNumber(value) }),
    gas: readRlpNumber(gas),
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
