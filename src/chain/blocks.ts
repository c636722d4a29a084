import type { Address } from '../base/address.ts';
import { asHash, type Hash, type Hex } from '../base/hex.ts';
import { isKnownForm } from './block-forms.ts';
import { hasOwnHash, NO_RECEIPTS, type RawFields, Unproven } from './block-proof.ts';
import { logsBloomContains } from './logs-bloom.ts';
import { type Rpc, toQuantity } from './rpc.ts';

/**
 * A header as one node gives it: which block it says that it means, and what gas costs in it. All else proves nothing before somebody vouches
 * for it ({@link VouchedHeader}).
 */
export type BlockHeader = {
  readonly number: bigint;
  readonly hash: Hash;
  /** Null: the chain has none, and takes transactions of before EIP-1559 alone. */
  readonly baseFeePerGas: bigint | null;
  readonly gasLimit: bigint;
  /** All that the node says of the block. `test/unit/said-headers.test.ts` lists who may read it. */
  readonly saidFields: RawFields;
};

declare const isVouched: unique symbol;

/** A header whose own hash, an agreement of endpoints, or the embedded chain vouches for its fields. Only {@link vouchFor} makes one. */
export type VouchedHeader = Pick<BlockHeader, 'number' | 'hash'> & {
  readonly parentHash: Hash;
  readonly logsBloom: Hex;
  readonly receiptsRoot: unknown;
  /** The time that its miner gave it, to the second. */
  readonly minedAt: Date;
  readonly [isVouched]: true;
};

type RawHeader = RawFields & {
  number: string;
  hash: string;
  baseFeePerGas?: string;
  gasLimit: string;
};

/**
 * The header of block `number`, of the newest, or of the newest that the node calls final; null if the node does not
 * have such a block (yet, or any more).
 */
export async function readHeader(rpc: Rpc, number: bigint | 'latest' | 'finalized'): Promise<BlockHeader | null> {
  const tag = typeof number === 'string' ? number : toQuantity(number);
  const raw = await rpc.call<RawHeader | null>('eth_getBlockByNumber', [tag, false]);
  return raw && parseHeader(raw, typeof number === 'string' ? null : number);
}

/** Whether the node knows a block by the hash that it has given it. */
export async function isKnownByHash(
  rpc: Rpc,
  { number, hash }: Pick<BlockHeader, 'number' | 'hash'>,
): Promise<boolean> {
  const raw = await rpc.call<RawHeader | null>('eth_getBlockByHash', [hash, false]);
  return raw !== null && BigInt(raw.number) === number && asHash(raw.hash) === hash;
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
  return given.slice(0, end < 0 ? undefined : end).map((raw, i) => parseHeader(raw!, first + BigInt(i)));
}

/** `wanted`: the block that was asked for; null if that was a tag. */
function parseHeader(said: RawHeader, wanted: bigint | null): BlockHeader {
  const number = BigInt(said.number);
  if (wanted !== null && number !== wanted) throw new Unproven(`the node gives block ${number} as block ${wanted}`);
  return {
    number,
    hash: asHash(said.hash),
    baseFeePerGas: said.baseFeePerGas ? BigInt(said.baseFeePerGas) : null,
    gasLimit: BigInt(said.gasLimit),
    saidFields: said,
  };
}

/** For those who have found that the fields of a header are true, or do not have to ask. */
export function vouchFor({ number, hash, saidFields: said }: BlockHeader): VouchedHeader {
  const fields = {
    number,
    hash,
    parentHash: asHash(String(said.parentHash)),
    logsBloom: String(said.logsBloom) as Hex,
    receiptsRoot: said.receiptsRoot,
    minedAt: new Date(Number(said.timestamp) * 1000),
  };
  return fields as VouchedHeader;
}

/** Throws {@link Unproven} unless the hash of the header is that of its fields. */
export function proveHeader(header: BlockHeader): VouchedHeader {
  const { number, hash, saidFields } = header;
  if (!hasOwnHash(saidFields, hash))
    throw new Unproven(
      `the header of block ${number} does not have its hash`,
      isKnownForm(saidFields) ? 'headers' : 'other',
    );
  return vouchFor(header);
}

/** The same for headers that say the same of what is read of them: which block is above which, when, and with which logs and transactions. */
export function textOfHeader({ number, hash, saidFields: said }: BlockHeader): string {
  const { parentHash, timestamp, logsBloom, transactions } = said;
  return JSON.stringify([`${number}`, hash, parentHash, Number(timestamp), logsBloom, transactions]).toLowerCase();
}

/** The hashes of a block's transactions, as the node says. Null if they do not fit to the gas that it says the block used. */
export function saidTransactions({ saidFields: { transactions, gasUsed } }: BlockHeader): Hash[] | null {
  if (!Array.isArray(transactions)) return null;
  if (transactions.length === 0 && BigInt(String(gasUsed ?? '0x0')) !== 0n) return null;
  return transactions.map((hash) => asHash(String(hash)));
}

/** What a node says of the logs in a block. It may make somebody ask again, and is no reason not to ask. */
export function maySayLogs({ saidFields }: BlockHeader, token: Address, topics: readonly Hex[]): boolean {
  const bloom = saidFields.logsBloom as Hex;
  return (
    typeof bloom === 'string' &&
    logsBloomContains(bloom, token) &&
    topics.some((topic) => logsBloomContains(bloom, topic))
  );
}

/** False if the block certainly has no log of the token. `believesBloom`: the blooms of this chain are true. */
export function mayHoldTokenLogs(header: VouchedHeader, token: Address, believesBloom: boolean): boolean {
  if (header.receiptsRoot === NO_RECEIPTS) return false;
  return !believesBloom || logsBloomContains(header.logsBloom, token);
}
