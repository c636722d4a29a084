/** What the proof of a block's logs takes (`CHAIN_PROOF=receipts`). Alone: `node bench/block-proof.ts`. */
import { randomBytes } from 'node:crypto';
import { asAddress } from '../src/base/address.ts';
import { bytesToHex } from '../src/base/hex.ts';
import { hashText } from '../src/chain/abi-words.ts';
import { hashHeader, rootOfReceipts } from '../src/chain/block-proof.ts';
import type { TokenLog } from '../src/chain/block-replies.ts';
import { type BlockHeader, proveHeader } from '../src/chain/blocks.ts';
import type { Rpc } from '../src/chain/rpc.ts';
import { proveTokenLogs, readTokenLogs } from '../src/chain/token-logs.ts';
import type { Claim, Effort, Figure } from './claim.ts';
import { runAlone } from './run.ts';

const TRANSFERS = 3_000;
const TOKEN = asAddress(`0x${'c'.repeat(40)}`);
const BLOOM = `0x${'f'.repeat(512)}` as const;
const TOPICS = ['AuthorizationUsed(address,bytes32)', 'Transfer(address,address,uint256)'].map((event) =>
  bytesToHex(hashText(event)),
);

const hex = (bytes: number) => bytesToHex(randomBytes(bytes));

/** A block as a node gives it, in which each transaction has the two logs of a transfer. */
function makeBlock(): { readonly header: BlockHeader; readonly receipts: string; readonly logs: string } {
  const fields = {
    ...{ parentHash: hex(32), sha3Uncles: hex(32), miner: hex(20), stateRoot: hex(32), transactionsRoot: hex(32) },
    ...{ logsBloom: BLOOM, difficulty: '0x0', number: '0x2a', gasLimit: '0x1c9c380', gasUsed: '0x1c9c380' },
    ...{
      timestamp: '0x65000000',
      extraData: '0x',
      mixHash: hex(32),
      nonce: `0x${'0'.repeat(16)}`,
      baseFeePerGas: '0x7',
    },
  };
  const blockHash = hex(32);
  const receipts = Array.from({ length: TRANSFERS }, (_, i) => {
    const transactionHash = hex(32);
    const rest = { blockNumber: '0x2a', transactionHash, transactionIndex: `0x${i.toString(16)}` };
    const logs = TOPICS.map((topic, k) => ({
      ...{ ...rest, address: TOKEN, topics: [topic, `0x${'0'.repeat(24)}${hex(20).slice(2)}`, hex(32)] },
      ...{
        data: k === 0 ? '0x' : `0x${'0'.repeat(60)}1234`,
        logIndex: `0x${(2 * i + k).toString(16)}`,
        removed: false,
      },
    }));
    const used = {
      cumulativeGasUsed: `0x${(90_000 * (i + 1)).toString(16)}`,
      gasUsed: '0x15f90',
      effectiveGasPrice: '0x7',
    };
    return { ...rest, ...used, type: '0x2', status: '0x1', from: hex(20), to: hex(20), logsBloom: BLOOM, logs };
  });
  const raw = { ...fields, receiptsRoot: rootOfReceipts(receipts as never) };
  const hash = hashHeader(raw);
  const header = { number: 42n, hash, baseFeePerGas: 7n, gasLimit: 30_000_000n, saidFields: raw };
  const text = (rows: readonly object[]) => JSON.stringify(rows).replaceAll(blockHash, hash);
  const named = receipts.map((receipt) => ({
    ...receipt,
    blockHash,
    logs: receipt.logs.map((log) => ({ ...log, blockHash })),
  }));
  return { header, receipts: text(named), logs: text(named.flatMap(({ logs }) => logs)) };
}

/** Milliseconds of processor time for each transfer, of a node whose answer is this text. */
async function timeOf(
  answer: string,
  rounds: number,
  read: (rpc: Rpc) => Promise<readonly TokenLog[]>,
): Promise<number> {
  const rpc = { call: async () => JSON.parse(answer) } as unknown as Rpc;
  let cpu = process.cpuUsage();
  for (let round = -2; round < rounds; round++) {
    // The first rounds only warm up.
    if (round === 0) cpu = process.cpuUsage();
    const { length } = await read(rpc);
    if (length !== 2 * TRANSFERS) throw new Error(`${length} logs instead of ${2 * TRANSFERS}`);
  }
  const { user, system } = process.cpuUsage(cpu);
  return (user + system) / 1000 / rounds / TRANSFERS;
}

async function measureReading({ quick }: Effort): Promise<{ readonly believed: number; readonly proven: number }> {
  const { header, receipts, logs } = makeBlock();
  const rounds = quick ? 5 : 20;
  return {
    believed: await timeOf(logs, rounds, (rpc) => readTokenLogs(rpc, header, TOKEN)),
    proven: await timeOf(receipts, rounds, (rpc) => proveTokenLogs(rpc, proveHeader(header), TOKEN, true)),
  };
}

/** Milliseconds of processor time that the proof of its logs adds to a transfer. */
export async function measureProof(effort: Effort): Promise<number> {
  const { believed, proven } = await measureReading(effort);
  return proven - believed;
}

async function proofFigures(effort: Effort): Promise<Figure[]> {
  const { believed, proven } = await measureReading(effort);
  return [
    {
      ...{ name: 'CPU of a transfer whose logs are proven', value: proven, unit: 'ms' },
      limit: { name: 'logs that are only read', value: believed },
    },
    { name: 'CPU of the proof alone', value: proven - believed, unit: 'ms', target: '≤ 0.03' },
  ];
}

export const blockProof: Claim = {
  name: 'block-proof',
  title: 'Proven logs',
  method: `A block of ${TRANSFERS} transactions with a transfer each. The answer of the node is parsed, its receipts hashed, and its logs read; the network is not part of it.`,
  measure: proofFigures,
};

if (import.meta.main) await runAlone(blockProof);
