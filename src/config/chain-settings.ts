import { amount, autoOr, blocks, gwei, oneOf, optional, orFile, rpcUrls, setting, wholeNumber } from './parse.ts';

/** The chain, and how transfers are settled on it. */
export const CHAIN_SETTINGS = {
  chainRpcUrls: orFile(
    setting(
      'CHAIN_RPC_URL',
      '',
      rpcUrls,
      'JSON-RPC endpoints, comma-separated, preferred one first; if unset, `npm start` brings its own chain',
    ),
  ),
  completeAfter: setting(
    'COMPLETE_AFTER',
    '1',
    blocks(1),
    'depth in blocks at which a transfer is completed; 1 is the newest block',
  ),
  finalAfter: setting(
    'FINAL_AFTER',
    'auto',
    autoOr(blocks(1)),
    'depth in blocks beyond which a reorganisation raises an alarm; `auto`: what the chain calls finalised, or 64',
  ),
  chainProof: setting(
    'CHAIN_PROOF',
    'auto',
    oneOf('auto', 'receipts', 'agreement', 'node'),
    'what vouches for a block’s logs: its header (`receipts`), two endpoints (`agreement`), nothing (`node`), or what the chain allows (`auto`)',
  ),
  pollMilliseconds: setting(
    'CHAIN_POLL_MS',
    '250',
    wholeNumber(20, 60_000),
    'milliseconds between polls of the chain while transfers are pending',
  ),
  idlePollMilliseconds: setting(
    'CHAIN_IDLE_POLL_MS',
    '1000',
    wholeNumber(20, 600_000),
    'milliseconds between polls while none is pending; deposits are noticed with this delay',
  ),
  inFlightWindow: setting(
    'IN_FLIGHT_WINDOW',
    '4096',
    wholeNumber(1, 100_000),
    'most unmined transactions of one relayer at the node at once',
  ),
  replaceAfterBlocks: setting(
    'REPLACE_AFTER_BLOCKS',
    '10',
    blocks(1),
    'blocks after which an unmined transaction is sent again with a higher fee',
  ),
  maxBacklog: setting(
    'MAX_BACKLOG',
    '20000',
    wholeNumber(1, 10_000_000),
    'signed, unmined transactions above which new transfers are refused with 503',
  ),
  maxBacklogPerApp: setting(
    'MAX_BACKLOG_PER_APP',
    '10000',
    wholeNumber(1, 10_000_000),
    'pending transfers of one app above which its new ones are refused with 429',
  ),
  transfersPerTransaction: setting(
    'TRANSFERS_PER_TRANSACTION',
    '1',
    wholeNumber(1, 200),
    'most transfers in one Ethereum transaction',
  ),
  relayers: setting(
    'RELAYERS',
    '',
    optional(wholeNumber(1, 64)),
    'number of accounts that pay gas for settlement; default 1, or WORKERS on the embedded chain',
  ),
  maxFeePerGasGwei: setting(
    'MAX_FEE_PER_GAS_GWEI',
    '200',
    wholeNumber(1, 1_000_000),
    'highest gas price that is ever offered',
  ),
  priorityFee: setting(
    'PRIORITY_FEE_GWEI',
    '',
    optional(gwei(100_000)),
    'tip for the block producer, or the gas price on a chain without a base fee; unset: what the node suggests',
  ),
  lowGasTransactions: setting(
    'LOW_GAS_TRANSACTIONS',
    '500',
    wholeNumber(1, 1_000_000),
    'a relayer raises a warning when its ether pays for fewer transactions than this',
  ),
  initialSupply: setting(
    'INITIAL_SUPPLY',
    '1000000000000',
    amount,
    'quarters minted to the treasury when the contracts are deployed',
  ),
} as const;
