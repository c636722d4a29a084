import type { Address } from '../base/address.ts';
import { asHash, type Hash, type Hex, hexToBytes } from '../base/hex.ts';
import { keccak256 } from '../base/keccak.ts';
import type { RawFields } from './block-proof.ts';
import { type Rpc, toQuantity } from './rpc.ts';

export type BlockHeader = {
  readonly number: bigint;
  readonly hash: Hash;
  readonly parentHash: Hash;
  readonly baseFeePerGas: bigint;
  readonly gasLimit: bigint;
  readonly logsBloom: Hex;
  /** All that the node says of the block. */
  readonly raw: RawFields;
};

type RawHeader = RawFields & {
  number: string;
  hash: string;
  parentHash: string;
  baseFeePerGas?: string;
  gasLimit: string;
  logsBloom: Hex;
};
/**
 * The header of block `number`, of the newest, or of the newest that the node calls final; null if the node does not
 * have such a block (yet, or any more).
 */
export async function readHeader(rpc: Rpc, number: bigint | 'latest' | 'finalized'): Promise<BlockHeader | null> {
  const tag = typeof number === 'string' ? number : toQuantity(number);
  const raw = await rpc.call<RawHeader | null>('eth_getBlockByNumber', [tag, false]);
  return raw && parseHeader(raw);
}

/**
 * The headers of blocks `first` to `last` in one request: as many consecutive ones as the node returns. They may belong
 * to two forks.
 */
export async function readHeaders(rpc: Rpc, first: bigint, last: bigint): Promise<BlockHeader[]> {
  const replies = await rpc.batch(
    Array.from({ length: Number(last - first) + 1 }, (_, i) => ({
      method: 'eth_getBlockByNumber',
      params: [toQuantity(first + BigInt(i)), false],
    })),
  );
  const given = replies.map((reply) => (reply.kind === 'result' ? (reply.result as RawHeader | null) : null));
  const end = given.indexOf(null);
  return given.slice(0, end < 0 ? undefined : end).map((raw) => parseHeader(raw!));
}

function parseHeader(raw: RawHeader): BlockHeader {
  return {
    number: BigInt(raw.number),
    hash: asHash(raw.hash),
    parentHash: asHash(raw.parentHash),
    baseFeePerGas: BigInt(raw.baseFeePerGas ?? '0x0'),
    gasLimit: BigInt(raw.gasLimit),
    logsBloom: raw.logsBloom,
    raw,
  };
}

/** The time that its miner gave it, to the second. */
export function minedAt({ raw }: Pick<BlockHeader, 'raw'>): Date {
  return new Date(Number(raw.timestamp) * 1000);
}

/** False if the block certainly has no log of the token. */
export function mayHoldTokenLogs(header: BlockHeader, token: Address): boolean {
  return logsBloomContains(header.logsBloom, token);
}

/**
 * Whether a header's logs bloom may contain `value` (an address or a topic); false is certain. It is the 2048-bit
 * filter of the Ethereum yellow paper, section 4.3.1: three 11-bit numbers from the value's Keccak-256.
 */
export function logsBloomContains(bloom: Hex, value: Hex): boolean {
  const bits = hexToBytes(bloom);
  const hash = keccak256(hexToBytes(value));
  return [0, 2, 4].every((offset) => {
    const bit = hash.readUInt16BE(offset) & 2047;
    return ((bits[255 - (bit >> 3)] ?? 0) & (1 << (bit & 7))) !== 0;
  });
}
