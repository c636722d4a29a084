/**
 * A node that only records, for `growth.ts`: it takes transactions that carry one transfer each, puts them into blocks, and shows their
 * logs. A real node computes over its whole state, which would hide what the database does with a million accounts. It checks no
 * signature and no balance. Started by `growth.ts`; it ends when its parent has gone.
 */
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import secp256k1 from 'secp256k1';
import { asAddress } from '../src/base/address.ts';
import { bytesToHex } from '../src/base/hex.ts';
import { keccak256 } from '../src/base/keccak.ts';
import { hashText } from '../src/chain/abi-words.ts';
import { createdAddress } from '../src/chain/deployment.ts';
import { readRlpList, readRlpNumber, rlpList, rlpString } from '../src/chain/rlp.ts';
import { domainSeparator } from '../src/chain/token.ts';

const CHAIN_ID = 31_337;
/** The blocks before are those of the generated history. */
const FIRST_BLOCK = 1_000_000;
/** A service that installs its contracts reads some blocks before them. */
const EMPTY_BLOCKS = 100;
const BLOCK_MS = 1_000;
const MOST_IN_BLOCK = 10_000;
/** Logs of older blocks are forgotten. */
const LOGS_KEPT = 100;

const TRANSFER = bytesToHex(hashText('Transfer(address,address,uint256)'));
const USED = bytesToHex(hashText('AuthorizationUsed(address,bytes32)'));
const BLOOM_ALL = `0x${'f'.repeat(512)}`;
const BLOOM_NONE = `0x${'0'.repeat(512)}`;
const ZERO_WORD = `0x${'0'.repeat(64)}`;

type Log = { readonly topics: readonly string[]; readonly data: string; readonly transactionHash: string };
type Transaction = {
  readonly hash: string;
  readonly sender: string;
  readonly nonce: number;
  readonly logs: readonly Omit<Log, 'transactionHash'>[];
};
type Block = {
  readonly number: number;
  readonly hash: string;
  readonly parentHash: string;
  logs: readonly Log[];
  transactions: readonly string[];
  readonly nonces: ReadonlyMap<string, number>;
};

const blocks = Array.from({ length: EMPTY_BLOCKS }, (_, i): Block => {
  const number = FIRST_BLOCK + i;
  return {
    number,
    hash: blockHash(number),
    parentHash: blockHash(number - 1),
    logs: [],
    transactions: [],
    nonces: new Map(),
  };
});
const minedIn = new Map<string, Block>();
const pool = new Map<string, Map<number, Transaction>>();
const contracts = new Set<string>();
let token = '';
let isHeld = false;

function blockHash(number: number): string {
  return `0x${createHash('sha256').update(`block ${number}`).digest('hex')}`;
}

const head = () => blocks.at(-1)!;
const blockAt = (tag: string) => (tag === 'latest' || tag === 'pending' ? head() : blocks[Number(tag) - FIRST_BLOCK]);
const quantity = (value: number) => `0x${value.toString(16)}`;

/** Puts the transactions whose turn it is into a block. Without any there is none. */
function mine(): void {
  const nonces = new Map(head().nonces);
  const included: Transaction[] = [];
  for (const [sender, waiting] of pool) {
    let nonce = nonces.get(sender) ?? 0;
    for (let next = waiting.get(nonce); next && included.length < MOST_IN_BLOCK; next = waiting.get(++nonce)) {
      waiting.delete(nonce);
      included.push(next);
    }
    nonces.set(sender, nonce);
  }
  if (included.length === 0) return;
  const { number, hash: parentHash } = head();
  const logs = included.flatMap((tx) => tx.logs.map((log) => ({ ...log, transactionHash: tx.hash })));
  const transactions = included.map(({ hash }) => hash);
  const block: Block = { number: number + 1, hash: blockHash(number + 1), parentHash, logs, transactions, nonces };
  for (const { hash } of included) minedIn.set(hash, block);
  blocks.push(block);
  const old = blocks.at(-1 - LOGS_KEPT);
  if (old) [old.logs, old.transactions] = [[], []];
}

function submit(raw: string): string {
  const bytes = Buffer.from(raw.slice(2), 'hex');
  const id = bytesToHex(keccak256(bytes));
  // EIP-1559: 0x02 ‖ rlp([chain, nonce, tip, fee, gas, to, value, data, access list, parity, r, s])
  const fields = readRlpList(bytes.subarray(1));
  const [, nonceField, , , , to, , data, , parity, r, s] = fields;
  // The service's access lists are empty.
  const unsigned = rlpList([...fields.slice(0, 8).map((field) => rlpString(field.toString('hex'))), rlpList([])]);
  const digest = keccak256(Buffer.from(`02${unsigned}`, 'hex'));
  const signature = Buffer.alloc(64);
  r!.copy(signature, 32 - r!.length);
  s!.copy(signature, 64 - s!.length);
  const key = secp256k1.ecdsaRecover(signature, Number(readRlpNumber(parity!)), digest, false);
  const sender = bytesToHex(keccak256(key.subarray(1)).subarray(12));
  const nonce = Number(readRlpNumber(nonceField!));
  if (nonce < (head().nonces.get(sender) ?? 0)) throw new Error('nonce too low');
  const waiting = pool.get(sender) ?? new Map<number, Transaction>();
  pool.set(sender, waiting);
  if (waiting.get(nonce)?.hash === id) throw new Error('already known');
  waiting.set(nonce, {
    hash: id,
    sender,
    nonce,
    logs: to!.length === 0 ? create(sender, nonce, data!) : logsOf(data!),
  });
  return id;
}

/** The first contract is the token. The last words of its call are the arguments of its constructor. */
function create(sender: string, nonce: number, data: Buffer): Transaction['logs'] {
  const address = createdAddress(asAddress(sender), BigInt(nonce));
  contracts.add(address);
  if (token !== '') return [];
  token = address;
  const [treasury, supply] = [data.subarray(-64, -32), data.subarray(-32)];
  return [{ topics: [TRANSFER, ZERO_WORD, bytesToHex(treasury)], data: bytesToHex(supply) }];
}

/** transferWithAuthorization(from, to, value, validAfter, validBefore, nonce, …) logs the authorization, then the transfer. */
function logsOf(data: Buffer): Transaction['logs'] {
  const word = (i: number) => bytesToHex(data.subarray(4 + i * 32, 36 + i * 32));
  return [
    { topics: [USED, word(0), word(5)], data: '0x' },
    { topics: [TRANSFER, word(0), word(1)], data: word(2) },
  ];
}

const header = ({ number, hash, parentHash, logs, transactions }: Block) => ({
  ...{ transactions, number: quantity(number), hash, parentHash, timestamp: quantity(number) },
  ...{ baseFeePerGas: quantity(1e9), gasLimit: quantity(1e12), logsBloom: logs.length > 0 ? BLOOM_ALL : BLOOM_NONE },
});

type Filter = { readonly blockHash?: string; readonly fromBlock?: string; readonly toBlock?: string };

function findLogs({ blockHash, fromBlock, toBlock }: Filter) {
  const found = blockHash
    ? blocks.filter((block) => block.hash === blockHash)
    : blocks.slice(Math.max(0, Number(fromBlock) - FIRST_BLOCK), Number(toBlock) - FIRST_BLOCK + 1);
  return found.flatMap(shownLogs);
}

const shownLogs = ({ number, hash, logs }: Block) =>
  logs.map((log, i) => ({
    ...log,
    address: token,
    logIndex: quantity(i),
    blockNumber: quantity(number),
    blockHash: hash,
  }));

function countOf(sender: string, tag: string): string {
  let next = blockAt(tag)?.nonces.get(sender) ?? 0;
  if (tag === 'pending') while (pool.get(sender)?.has(next)) next++;
  return quantity(next);
}

// biome-ignore lint/suspicious/noExplicitAny: parameters of JSON-RPC are what they are
function answer(method: string, params: readonly any[]): unknown {
  switch (method) {
    case 'eth_chainId':
      return quantity(CHAIN_ID);
    case 'eth_blockNumber':
      return quantity(head().number);
    case 'eth_getBlockByNumber': {
      const block = blockAt(params[0]);
      return block ? header(block) : null;
    }
    case 'eth_getTransactionCount':
      return countOf(params[0].toLowerCase(), params[1]);
    case 'eth_getCode':
      return contracts.has(params[0].toLowerCase()) ? '0x60' : '0x';
    case 'eth_call':
      // Asked at the start, to know the token again.
      return domainSeparator(CHAIN_ID, params[0].to.toLowerCase());
    case 'eth_getBalance':
      return `0x${(10n ** 24n).toString(16)}`;
    case 'eth_getLogs':
      return findLogs(params[0]);
    case 'eth_getTransactionReceipt': {
      const block = minedIn.get(params[0]);
      if (!block) return null;
      const logs = shownLogs(block).filter(({ transactionHash }) => transactionHash === params[0]);
      const at = { blockNumber: quantity(block.number), blockHash: block.hash };
      return { ...at, transactionHash: params[0], status: '0x1', logs };
    }
    case 'eth_sendRawTransaction':
      return submit(params[0]);
    default:
      throw new Error(`The recorded node does not know ${method}`);
  }
}

type Call = { readonly id: unknown; readonly method: string; readonly params: readonly unknown[] };

function reply({ id, method, params }: Call) {
  try {
    return { jsonrpc: '2.0', id, result: answer(method, params) };
  } catch (error) {
    return { jsonrpc: '2.0', id, error: { code: -32_000, message: (error as Error).message } };
  }
}

async function bodyOf(request: IncomingMessage): Promise<Call | Call[]> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part);
  return JSON.parse(Buffer.concat(parts).toString());
}

const server = createServer(async (request, response) => {
  const calls = await bodyOf(request);
  const replies = Array.isArray(calls) ? calls.map(reply) : reply(calls);
  response.setHeader('content-type', 'application/json').end(JSON.stringify(replies));
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.send?.(typeof address === 'object' && address?.port);
});
setInterval(() => isHeld || mine(), BLOCK_MS);
process.on('message', (message) => {
  isHeld = message === 'hold';
});
process.on('disconnect', () => process.exit(1));
