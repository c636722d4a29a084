import { Unproven } from '../../../chain/block-proof.ts';
import { type BlockHeader, proveHeader, readHeader } from '../../../chain/blocks.ts';
import { missingInstructions } from '../../../chain/chain-rules.ts';
import { firstFees, GWEI } from '../../../chain/fees.ts';
import type { RpcCall } from '../../../chain/json-rpc-http.ts';
import { readNodesTip } from '../../../chain/learned-tip.ts';
import { proveReceipts } from '../../../chain/receipts.ts';
import { connectRpc, type Rpc, toQuantity } from '../../../chain/rpc.ts';
import { readChainId, readNewestBlock } from '../../../chain/state.ts';
import { gasFor } from '../../../chain/token.ts';
import type { Settings } from '../../../config/settings.ts';
import { type Finding, good } from '../../../diagnostics/findings/finding.ts';
import { type Check, type CheckReport, type PartChecks, runChecks } from '../../../diagnostics/findings/run-checks.ts';
import { ageOf } from '../../../diagnostics/findings/spoken-age.ts';
import { ownTip } from '../../../settlement/tips.ts';

/** A chain that somebody considers, by one node of it. `settings`: with which it would be used. */
type Considered = { readonly rpc: Rpc; readonly settings: Settings };

/** How many of the newest blocks are read, and how many of them at once. */
const BLOCKS = 100;
const AT_ONCE = 10;
const PACKED = 50;
const LIMIT_MS = 60_000;
const CHAINS = 'docs/operate/chain.md';

const CHECKS: PartChecks<Considered> = [
  ['Node', checkNode],
  ['Instructions', checkInstructions],
  ['Proof', checkProof],
  ['Calls', checkCalls],
  ['Batches', checkBatches],
  ['Price', checkPrice],
];

/** How many parts are looked at. */
export const CONSIDERED_PARTS = CHECKS.length;

/**
 * Says whether the service would run on the chain of this node, what would prove its blocks, and what a transfer would cost. Needs no database
 * and no keys, and sends nothing. Never rejects. `onDone`: called after each part.
 */
export async function considerChain(url: string, settings: Settings, onDone: () => void): Promise<CheckReport> {
  const considered = { rpc: connectRpc([url]), settings };
  const late: Finding = { state: 'unknown', says: 'The node did not answer this.', remedy: LOOK };
  const limit = { ms: LIMIT_MS, late };
  const [node, ...others] = CHECKS.map(([part, check]) => [part, explainedBy(check)] as const);
  const first = await runChecks([node!], considered, limit, onDone);
  if (first.state !== 'good') return first;
  const { checks, state } = await runChecks(others, considered, limit, onDone);
  return { checks: [...first.checks, ...checks], state };
}

const LOOK = { says: 'See whether the address is right, and the node answers others.', docs: CHAINS };

function explainedBy(check: Check<Considered>): Check<Considered> {
  return async (considered) => {
    try {
      return await check(considered);
    } catch (error) {
      return { state: 'bad', says: `This failed: ${(error as Error).message}.`, remedy: LOOK };
    }
  };
}

async function checkNode({ rpc }: Considered): Promise<Finding> {
  const [chainId, head] = [await readChainId(rpc), await readNewestBlock(rpc)];
  // The time of the first one of all is chosen, and may be years before.
  const mined = head.number - 1n;
  const blocks = mined > BigInt(BLOCKS) ? BLOCKS : Number(mined);
  const first = await readNewestBlock(rpc, head.number - BigInt(Math.max(blocks, 0)));
  const apart = blocks <= 0 ? 0 : (head.minedAt.getTime() - first.minedAt.getTime()) / 1000 / blocks;
  const final = await readHeader(rpc, 'finalized').catch(() => null);
  const depth = final ? `${head.number - final.number} blocks deep` : 'the node does not say, so 64 blocks deep';
  const age = ageOf(Date.now() - head.minedAt.getTime());
  return good(`Chain ${chainId}, at block ${head.number}, ${age} old.`, [
    { name: 'A block each', value: `${apart.toFixed(2)} s` },
    { name: 'Final by FINAL_AFTER=auto', value: depth },
  ]);
}

async function newest(rpc: Rpc): Promise<BlockHeader> {
  const head = await readHeader(rpc, 'latest');
  if (!head) throw new Error('the node has no blocks');
  return head;
}

async function checkInstructions({ rpc }: Considered): Promise<Finding> {
  const missing = await missingInstructions(rpc);
  if (missing === null) return good('The chain has what our contracts need, as far as the node says.');
  return {
    state: 'bad',
    says: `The chain lacks ${missing}, so our contracts cannot run there.`,
    remedy: { says: 'Use another chain, or wait for its upgrade.', docs: 'docs/operate/start.md#on-real-servers' },
  };
}

/** What would vouch for the newest blocks, as `CHAIN_PROOF=auto` decides it. */
async function checkProof({ rpc }: Considered): Promise<Finding> {
  const head = await newest(rpc);
  const least = head.number >= BigInt(BLOCKS) ? head.number - BigInt(BLOCKS) + 1n : 0n;
  const reasons = new Map<string, number>();
  let read = 0;
  let proven = 0;
  for (let from = least; from <= head.number; from += BigInt(AT_ONCE)) {
    const numbers = Array.from({ length: AT_ONCE }, (_, i) => from + BigInt(i)).filter(
      (number) => number <= head.number,
    );
    for (const reason of await Promise.all(numbers.map((number) => whyUnproven(rpc, number)))) {
      read++;
      if (reason === null) proven++;
      else reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
    }
  }
  const facts = [...reasons].map(([reason, count]) => ({ name: `${count} blocks`, value: reason }));
  if (proven === read)
    return good(`The headers of all of ${read} blocks prove their logs: CHAIN_PROOF=receipts holds.`, facts);
  return {
    state: 'warning',
    says: `Of ${read} blocks, ${proven} prove their logs by their headers. For the others, two endpoints have to agree.`,
    facts,
    remedy: { says: 'Name two or three endpoints in CHAIN_RPC_URL.', docs: `${CHAINS}#what-is-believed-of-a-node` },
  };
}

/** Null if the block's header proves its receipts. Without its number, so that like reasons count together. */
async function whyUnproven(rpc: Rpc, number: bigint): Promise<string | null> {
  const header = await readHeader(rpc, number);
  if (!header) return 'the node does not give it';
  try {
    await proveReceipts(rpc, proveHeader(header));
    return null;
  } catch (error) {
    const { message } = error as Error;
    return error instanceof Unproven ? message.replaceAll(/ of block \d+/g, '') : message;
  }
}

/** Each call that the service makes, beside those that the other parts make. */
async function checkCalls({ rpc }: Considered): Promise<Finding> {
  const head = await newest(rpc);
  const nobody = `0x${'0'.repeat(40)}`;
  const calls: readonly RpcCall[] = [
    { method: 'eth_getLogs', params: [{ blockHash: head.hash, address: nobody }] },
    { method: 'eth_getLogs', params: [{ fromBlock: toQuantity(head.number), toBlock: 'latest', address: nobody }] },
    { method: 'eth_getBlockReceipts', params: [toQuantity(head.number)] },
    { method: 'eth_getTransactionCount', params: [nobody, toQuantity(head.number)] },
    { method: 'eth_getTransactionCount', params: [nobody, 'pending'] },
    { method: 'eth_getBalance', params: [nobody, 'latest'] },
    { method: 'eth_getCode', params: [nobody, 'latest'] },
    { method: 'eth_getTransactionByHash', params: [head.hash] },
    { method: 'eth_getTransactionReceipt', params: [head.hash] },
    { method: 'eth_estimateGas', params: [{ from: nobody, to: nobody }] },
    { method: head.baseFeePerGas === null ? 'eth_gasPrice' : 'eth_maxPriorityFeePerGas', params: [] },
    { method: 'eth_feeHistory', params: ['0x14', 'latest', [25]] },
  ];
  const refused: string[] = [];
  for (const call of calls) {
    const [reply] = await rpc.batch([call]);
    if (reply?.kind === 'error') refused.push(`${call.method}: ${reply.message}`);
    if (reply?.kind === 'unknown') refused.push(`${call.method}: ${reply.reason}`);
  }
  if (refused.length === 0) return good(`The node answers all of ${calls.length} calls that the service makes.`);
  return {
    state: 'warning',
    says: `Of ${calls.length} calls that the service makes, the node refuses ${refused.length}.`,
    facts: refused.map((text) => ({ name: 'Refused', value: text })),
    remedy: {
      says: 'Most can be done without. Name a second endpoint that answers them.',
      docs: `${CHAINS}#several-endpoints`,
    },
  };
}

const LARGEST_BATCH = 100;

async function checkBatches({ rpc }: Considered): Promise<Finding> {
  let largest = 1;
  for (const size of [2, 5, 10, 20, 50, LARGEST_BATCH]) {
    const replies = await rpc.batch(Array.from({ length: size }, () => ({ method: 'eth_chainId', params: [] })));
    const limit = rpc.endpoints?.chosen.largestBatch ?? size;
    if (limit < size || replies.some(({ kind }) => kind !== 'result')) break;
    largest = size;
  }
  if (largest === LARGEST_BATCH) return good(`The node answers ${LARGEST_BATCH} calls at once.`);
  return {
    state: 'warning',
    says: `The node answers ${largest} ${largest === 1 ? 'call' : 'calls'} at once. Smaller batches are sent to it, which takes longer.`,
    remedy: { says: 'Raise its limit for batches, if it is yours.', docs: `${CHAINS}#several-endpoints` },
  };
}

async function checkPrice({ rpc, settings }: Considered): Promise<Finding> {
  const head = await newest(rpc);
  const suggested = await readNodesTip(rpc, head);
  const tip = ownTip(settings, suggested);
  const price = (head.baseFeePerGas ?? 0n) + tip;
  const ceiling = BigInt(settings.maxFeePerGasGwei) * GWEI;
  const { maxFeePerGas } = firstFees(head.baseFeePerGas, tip, ceiling);
  const facts = [
    { name: 'Base fee', value: head.baseFeePerGas === null ? NO_BASE_FEE : asGwei(head.baseFeePerGas) },
    {
      name: head.baseFeePerGas === null ? 'Gas price' : 'Tip',
      value: `${asGwei(tip)}${suggested === null ? ', as the node suggests none' : ''}`,
    },
    { name: 'One transfer', value: `${asEther(SINGLE_GAS * price)} of the chain's ether` },
    { name: `Of ${PACKED} in a transaction, each`, value: asEther(PACKED_GAS * price) },
    {
      name: 'A relayer needs for one transaction',
      value: asEther(gasFor(settings.transfersPerTransaction) * maxFeePerGas),
    },
    { name: 'Not counted', value: 'what a rollup asks for publishing it (l1Fee), which receipts say afterwards' },
  ];
  if (price <= ceiling) return good(`Gas costs ${asGwei(price)} now.`, facts);
  return {
    state: 'bad',
    says: `Gas costs ${asGwei(price)} now, more than MAX_FEE_PER_GAS_GWEI (${settings.maxFeePerGasGwei}), so transfers would wait.`,
    facts,
    remedy: { says: 'Raise MAX_FEE_PER_GAS_GWEI if you want to pay that.', docs: 'docs/operate/gas.md' },
  };
}

/** What transfers to new recipients take on Ethereum: docs/operate/gas.md. */
const SINGLE_GAS = 85_600n;
const PACKED_GAS = 63_600n;

const NO_BASE_FEE = 'none, so transactions are of the form of before EIP-1559';

const asGwei = (wei: bigint) => `${Number(wei) / 1e9} gwei`;
const asEther = (wei: bigint) => (Number(wei) / 1e18).toPrecision(3);
