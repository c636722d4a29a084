/*
 * What chains hash of a header and of a receipt, beside what Ethereum hashes. `test/chain-forms` has a recorded block of each that is known.
 * A further chain is an entry here, with its source, and two recorded files there.
 */

/** What is hashed of a header, in this order, as JSON-RPC names it. A list in the list stands for a list in RLP. */
export type HeaderForm = {
  readonly chains: string;
  readonly source: string;
  readonly fields: readonly Field[];
  /** Those that came later, each with a fork. Headers may lack some. */
  readonly later: readonly string[];
};
type Field = string | readonly string[];

const FIRST = [
  ...['parentHash', 'sha3Uncles', 'miner', 'stateRoot', 'transactionsRoot', 'receiptsRoot', 'logsBloom'],
  ...['difficulty', 'number', 'gasLimit', 'gasUsed', 'timestamp', 'extraData', 'mixHash', 'nonce'],
];
const ETHEREUMS = [
  ...['baseFeePerGas', 'withdrawalsRoot', 'blobGasUsed', 'excessBlobGas', 'parentBeaconBlockRoot', 'requestsHash'],
];
const TEMPOS = ['mainBlockGeneralGasLimit', 'sharedGasLimit', 'timestampMillisPart'];

/** The first that a header has all `fields` of, and that gives its hash, is its form. */
export const HEADER_FORMS: readonly HeaderForm[] = [
  {
    chains: 'Ethereum, the OP Stack, Arbitrum, Polygon, BNB Smart Chain, Gnosis, Celo, Hyperliquid and Arc',
    source: 'Ethereum yellow paper, 4.4; EIP-1559, 4895, 4844, 4788 and 7685',
    fields: FIRST,
    later: ETHEREUMS,
  },
  {
    chains: 'Avalanche C-Chain',
    source: 'ava-labs/coreth: plugin/evm/customtypes/header_ext.go',
    fields: [...FIRST, 'extDataHash'],
    // Since Helicon (ACP-194) the root and the bloom are those of blocks before. Its fields are left out, so that endpoints have to agree.
    later: [
      ...['baseFeePerGas', 'extDataGasUsed', 'blockGasCost', 'blobGasUsed', 'excessBlobGas', 'parentBeaconBlockRoot'],
      ...['timestampMilliseconds', 'minDelayExcess'],
    ],
  },
  {
    chains: 'Avalanche L1s',
    source: 'ava-labs/subnet-evm: plugin/evm/customtypes/header_ext.go',
    fields: [...FIRST, 'baseFeePerGas', 'blockGasCost'],
    later: ['blobGasUsed', 'excessBlobGas', 'parentBeaconBlockRoot', 'timestampMilliseconds', 'minDelayExcess'],
  },
  {
    chains: 'Tempo',
    source: 'tempoxyz/tempo: crates/primitives/src/header.rs',
    fields: [...TEMPOS, [...FIRST, ...ETHEREUMS]],
    later: ['consensusContext'],
  },
];

/** What nodes add to a header that is not hashed. */
const ADDED = [
  ...['hash', 'size', 'totalDifficulty', 'transactions', 'uncles', 'withdrawals', 'author', 'l1BlockNumber'],
  ...['sendCount', 'sendRoot', 'timestampMillis', 'milliTimestamp', 'blockExtraData'],
];

const KNOWN_FIELDS: ReadonlySet<string> = new Set([
  ...HEADER_FORMS.flatMap(({ fields, later }) => [...fields.flat(), ...later]),
  ...ADDED,
]);

/** Whether all of a header is known, so that it has its hash, or is false. Some nodes compute no blooms, and give zeros. */
export function isKnownForm(header: Readonly<Record<string, unknown>>): boolean {
  if (FIRST.some((name) => typeof header[name] !== 'string')) return false;
  const lacksBloom = /^0x0+$/.test(header.logsBloom as string) && BigInt(header.gasUsed as string) > 0n;
  return !lacksBloom && Object.keys(header).every((name) => KNOWN_FIELDS.has(name));
}

/** Fields that are objects: their own fields, in this order. */
export const FIELD_PARTS: Readonly<Record<string, readonly string[]>> = {
  consensusContext: ['epoch', 'view', 'parentView', 'proposer'],
};

/** What is a number in RLP. All else of a header is bytes. */
export const NUMBERS: ReadonlySet<string> = new Set([
  ...['difficulty', 'number', 'gasLimit', 'gasUsed', 'timestamp', 'baseFeePerGas', 'blobGasUsed', 'excessBlobGas'],
  ...['extDataGasUsed', 'blockGasCost', 'timestampMilliseconds', 'minDelayExcess'],
  ...TEMPOS,
  ...['epoch', 'view', 'parentView'],
]);

/** What is hashed of a receipt after its logs, all or nothing, by its type (EIP-2718). */
export const RECEIPT_TAILS: Readonly<Record<number, { readonly chains: string; readonly fields: readonly string[] }>> =
  {
    // Since Canyon. Before that, the nonce was in the answer alone (specs.optimism.io: deposits).
    126: { chains: 'the OP Stack: deposits', fields: ['depositNonce', 'depositReceiptVersion'] },
    // celo-org/op-geth: core/types/receipt.go.
    123: { chains: 'Celo: fees paid in another currency (CIP-64)', fields: ['baseFee'] },
  };

/**
 * The types of receipts whose form is known: Ethereum's, those above, Arbitrum's (offchainlabs/nitro), Polygon's state syncs (PIP-74), and
 * those of Tempo.
 */
export const KNOWN_TYPES: ReadonlySet<number> = new Set([
  ...[0, 1, 2, 3, 4],
  ...Object.keys(RECEIPT_TAILS).map(Number),
  ...[100, 101, 102, 104, 105, 106, 120],
  127,
  118,
]);

/**
 * What some nodes list among the receipts of a block, and no root covers, so that nothing in it is believed: state syncs of Polygon until
 * PIP-74 and of Shibarium (maticnetwork/bor), and system transactions of Hyperliquid (hl-archive-node/nanoreth:
 * src/addons/hl_node_compliance.rs). Nobody has paid for them.
 */
export const isOutsideRoot = ({ gasUsed, cumulativeGasUsed }: Spent): boolean =>
  Number(gasUsed ?? Number.NaN) === 0 || Number(cumulativeGasUsed) === 0;

type Spent = { readonly gasUsed?: string; readonly cumulativeGasUsed: string };
