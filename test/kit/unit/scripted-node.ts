import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { atEnd, type Ending } from './at-end.ts';

/** A chain of empty blocks; a letter stands for a branch. `'aaab'`: block 3 is on another branch than 0 to 2. */
export type Branches = string;

/** A node that says what the test tells it to: of its blocks, its chain and its limits. It keeps what it is sent. */
export type ScriptedNode = {
  readonly url: string;
  blocks: Branches;
  chainId: number;
  hasContracts: boolean;
  /** When its newest block was mined, in seconds since 1970; by default block `n` at second `n` × 12. */
  minedAt: number | null;
  /** What it calls final; null: it does not know the tag. */
  final: number | null;
  /** Whether it can be reached. */
  reachable: boolean;
  /** Refuses every request with this status, headers and body. */
  refusal: { status: number; headers?: Record<string, string>; body?: unknown } | null;
  /** The bloom of its blocks' logs; by default that of no logs. */
  logsBloom: string;
  /** Answers of its own to a method: `result` or `error`. */
  readonly answers: Map<string, (params: readonly unknown[]) => object>;
  /** The methods of all calls, in order. */
  readonly asked: string[];
  /** Raw transactions. */
  readonly sent: string[];
};

type Call = { readonly id: number; readonly method: string; readonly params: readonly unknown[] };

const EMPTY_BLOOM = `0x${'0'.repeat(512)}`;

/** The hash of a block: its number, and the branches that lead to it. */
export function hashOf(blocks: Branches, number: number): `0x${string}` {
  return `0x${Buffer.from(blocks.slice(Math.max(0, number - 15), number + 1))
    .toString('hex')
    .padStart(32, '0')}${number.toString(16).padStart(32, '0')}`;
}

export async function startScriptedNode(t: Ending, blocks: Branches): Promise<ScriptedNode> {
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (data) => {
      body += data;
    });
    request.on('end', () => {
      if (!node.reachable) return void response.destroy();
      const asked = JSON.parse(body) as Call | Call[];
      const calls = [asked].flat();
      node.asked.push(...calls.map(({ method }) => method));
      const { refusal } = node;
      const answer = refusal
        ? (refusal.body ?? '')
        : calls.map((call) => ({ jsonrpc: '2.0', id: call.id, ...reply(call) }));
      const isOne = !Array.isArray(asked) && Array.isArray(answer) && answer.length === 1;
      response.writeHead(refusal?.status ?? 200, { 'content-type': 'application/json', ...refusal?.headers });
      response.end(typeof answer === 'string' ? answer : JSON.stringify(isOne ? answer[0] : answer));
    });
  });

  function reply({ method, params }: Call): object {
    const own = node.answers.get(method);
    if (own) return own(params);
    switch (method) {
      case 'eth_chainId':
        return { result: `0x${node.chainId.toString(16)}` };
      case 'eth_getCode':
        return { result: node.hasContracts ? '0x60' : '0x' };
      case 'eth_sendRawTransaction':
        node.sent.push(String(params[0]));
        return { result: `0x${'5'.repeat(64)}` };
      case 'eth_getBlockByNumber':
        return blockAt(String(params[0]));
      default:
        return { error: { code: -32601, message: `the method ${method} does not exist` } };
    }
  }

  function blockAt(tag: string): object {
    if (tag === 'finalized' && node.final === null) return { error: { code: -32602, message: 'unknown block tag' } };
    const number = tag === 'latest' ? node.blocks.length - 1 : tag === 'finalized' ? node.final! : Number(tag);
    if (number >= node.blocks.length && tag !== 'finalized') return { result: null };
    const minedAt = number === node.blocks.length - 1 && node.minedAt !== null ? node.minedAt : number * 12;
    return {
      result: {
        number: `0x${number.toString(16)}`,
        hash: hashOf(node.blocks, number),
        parentHash: number > 0 ? hashOf(node.blocks, number - 1) : `0x${'0'.repeat(64)}`,
        baseFeePerGas: '0x1',
        gasLimit: '0x1c9c380',
        logsBloom: node.logsBloom,
        timestamp: `0x${minedAt.toString(16)}`,
      },
    };
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(t, () => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(() => resolve(undefined)));
  });
  const node: ScriptedNode = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    blocks,
    chainId: 31_337,
    hasContracts: true,
    minedAt: null,
    final: null,
    reachable: true,
    refusal: null,
    logsBloom: EMPTY_BLOOM,
    answers: new Map(),
    asked: [],
    sent: [],
  };
  return node;
}
