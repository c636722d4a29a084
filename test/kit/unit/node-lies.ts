import type { Lie } from './fault-proxy.ts';

export type ShownLog = { topics: string[]; data: string; logIndex: string };
type LogChange = (logs: readonly ShownLog[], random: () => number) => ShownLog[];

const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const raised = (quantity: unknown) => `0x${(BigInt(String(quantity)) + 1n).toString(16)}`;
/** Another last digit. */
const other = (hex: unknown) => String(hex).replace(/.$/, (digit) => (digit === '0' ? '1' : '0'));
const word = (value: string) => `0x${value.slice(2).padStart(64, '0')}`;

/** What an endpoint makes of the logs that it has. */
export const LOG_LIES: Readonly<Record<string, LogChange>> = {
  drops: (logs, random) => logs.filter(() => random() < 0.7),
  doubles: (logs) => logs.flatMap((log) => [log, log]),
  falsifies: (logs) => logs.map((log) => (log.topics[0] === TRANSFER ? { ...log, data: word(raised(log.data)) } : log)),
  invents: (logs) => {
    const paid = logs.findLast(({ topics }) => topics[0] === TRANSFER);
    return paid ? [...logs, { ...paid, logIndex: raised(logs.at(-1)!.logIndex) }] : [...logs];
  },
};

/** In everything that shows logs. A single receipt is of another index of the node, and true. */
export const lieAbout =
  (change: LogChange): Lie =>
  (method, result, random) => {
    if (method === 'eth_getLogs') return change(result as ShownLog[], random);
    if (method !== 'eth_getBlockReceipts') return result;
    return (result as { logs: ShownLog[] }[]).map((receipt) => ({ ...receipt, logs: change(receipt.logs, random) }));
  };

export type ShownBlock = Readonly<Record<string, unknown>>;

/** What a node makes of one field of its headers. */
export const HEADER_LIES: Readonly<Record<string, (said: unknown) => unknown>> = {
  logsBloom: () => `0x${'0'.repeat(512)}`,
  'logsBloom, full,': () => `0x${'f'.repeat(512)}`,
  hash: other,
  parentHash: other,
  number: raised,
  'number, of the first block,': () => '0x1',
  timestamp: raised,
  'timestamp, long ago,': () => '0x1',
  transactions: () => [],
  transactionsRoot: other,
  receiptsRoot: other,
  stateRoot: other,
  gasUsed: raised,
  gasLimit: () => '0x5208',
  baseFeePerGas: () => '0x0',
  extraData: () => '0x01',
};

/** `name`: of one of {@link HEADER_LIES}. */
export function lieAboutHeaders(name: string): Lie {
  const field = name.split(',')[0]!;
  return inHeaders((block) => (field in block ? { ...block, [field]: HEADER_LIES[name]!(block[field]) } : block));
}

export const inHeaders =
  (change: (block: ShownBlock, random: () => number) => ShownBlock): Lie =>
  (method, result, random) =>
    method.startsWith('eth_getBlockBy') ? change(result as ShownBlock, random) : result;
