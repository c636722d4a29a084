import { keccak256, parseTransaction, serializeTransaction } from 'viem/utils';
import { type Address, asAddress } from '../base/address.ts';
import { bytesToHex, type Hash, type Hex, hexToBytes } from '../base/hex.ts';
import type { Fees } from './fees.ts';

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
