import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  decodeDeployData,
  decodeFunctionData,
  getContractAddress,
  keccak256,
  pad,
  parseTransaction,
  recoverTransactionAddress,
  stringToHex,
  toEventSelector,
  toHex,
} from 'viem';
import { asAddress } from '../../../src/base/address.ts';
import { quartersBytecode } from '../../../src/chain/contracts.generated.ts';
import type { RpcCall, RpcReply } from '../../../src/chain/json-rpc-http.ts';
import { type Rpc, RpcUnreachable } from '../../../src/chain/rpc.ts';
import { domainSeparator } from '../../../src/chain/token.ts';
import { quartersAbi, settlementAbi } from './contracts.generated.ts';
import type { Lie } from './fault-proxy.ts';

type Hex = `0x${string}`;
export type Decision = { readonly kind: 'used' | 'canceled'; readonly txHash: string; readonly block: bigint };

/** The token's state after a block. */
export type TokenState = {
  readonly balances: Map<string, bigint>;
  /** `authorizer/nonce` → its decision. */
  readonly decisions: Map<string, Decision>;
  readonly nonces: Map<string, bigint>;
  readonly contracts: Set<string>;
  supply: bigint;
  paused: boolean;
};

type Log = { readonly address: string; readonly topics: readonly string[]; readonly data: string };
type Context = { readonly state: TokenState; readonly hash: string; readonly block: bigint; emit(log: Log): void };
/** The effect of a transaction. It returns false to revert, and must not have changed anything then. */
type Effect = (context: Context) => boolean;

export type ChainTx = {
  readonly hash: Hex;
  /** Null: one of the many outside senders, whose nonces do not matter here. */
  readonly sender: string | null;
  readonly nonce: bigint;
  readonly maxFee: bigint;
  readonly tip: bigint;
  readonly effect: Effect;
};

export type Block = {
  readonly number: bigint;
  readonly hash: Hex;
  readonly parent: Block | null;
  /** In seconds (Unix). */
  readonly minedAt: number;
  readonly txs: readonly ChainTx[];
  readonly logs: readonly (Log & { readonly tx: ChainTx })[];
  readonly state: TokenState;
};

export type AuthorizationCall = {
  readonly from: string;
  readonly to: string;
  readonly amount: bigint;
  readonly nonce: string;
};

/** A repeatable source of choices. `percent`: true in that many cases of 100. */
export type Random = { below(limit: number): number; percent(of: number): boolean };

/** Percentages: how much of the pool is mined, and how much is forgotten. */
export type Mining = { readonly share: number; readonly drop: number; readonly random: Random };

export const TRANSFER = toEventSelector('Transfer(address,address,uint256)');
const USED = toEventSelector('AuthorizationUsed(address,bytes32)');
const CANCELED = toEventSelector('AuthorizationCanceled(address,bytes32)');
const OTHER = toEventSelector('RoleGranted(bytes32,address,address)');
const ZERO = `0x${'0'.repeat(40)}`;
const BLOOM_NONE = `0x${'0'.repeat(512)}`;
const BLOOM_ALL = `0x${'f'.repeat(512)}`;
const CHAIN_ID = 31337;
const BASE_FEE = 10n ** 9n;

export type SyntheticChain = ReturnType<typeof createSyntheticChain>;

/**
 * A chain in memory with the token, as far as the service sees it: blocks, logs, nonces, receipts, a pool of unmined
 * transactions. It can be reorganised to any depth. Every block keeps the state after it, so that a ledger can be
 * compared with the very block it has followed, even if that has left the chain.
 *
 * The contract is tested elsewhere: signatures are not checked here.
 */
export function createSyntheticChain() {
  let salt = 0;
  let head: Block = seal(null, [], []);
  const everSealed = new Map<string, Block>([[head.hash, head]]);
  let canonical: Block[] = [head];
  const pool = new Map<string, ChainTx>();
  let outside: ChainTx[] = [];
  let token: string | null = null;
  const scheduled: { calls: number; happen: () => void }[] = [];
  let failing: { calls: number; replyLost: boolean } | null = null;
  let faults = 0;
  let disturbances = 0;
  let away = false;
  let lie: ((method: string, result: unknown) => unknown) | null = null;

  function seal(parent: Block | null, txs: readonly ChainTx[], dropped: ChainTx[]): Block {
    const number = parent ? parent.number + 1n : 0n;
    const state = copy(parent?.state);
    const logs: (Log & { tx: ChainTx })[] = [];
    const included: ChainTx[] = [];
    for (const tx of txs) {
      if (tx.sender !== null) {
        if ((state.nonces.get(tx.sender) ?? 0n) !== tx.nonce) {
          dropped.push(tx);
          continue;
        }
        state.nonces.set(tx.sender, tx.nonce + 1n);
      }
      const emitted: Log[] = [];
      const worked = tx.effect({ state, hash: tx.hash, block: number, emit: (log) => emitted.push(log) });
      if (worked) logs.push(...emitted.map((log) => ({ ...log, tx })));
      included.push(tx);
    }
    const hash = keccak256(stringToHex(`${parent?.hash}/${number}/${salt++}`));
    const minedAt = Math.max(Math.floor(Date.now() / 1000), parent?.minedAt ?? 0);
    return { number, hash, parent, minedAt, txs: included, logs, state };
  }

  function append(txs: readonly ChainTx[]): void {
    const dropped: ChainTx[] = [];
    head = seal(head, txs, dropped);
    everSealed.set(head.hash, head);
    canonical.push(head);
    for (const tx of head.txs) pool.delete(tx.hash);
    outside = outside.filter((tx) => !head.txs.includes(tx));
  }

  /** Candidates for the next block, in a random order that keeps each sender's nonces consecutive. */
  function executable({ share, drop, random }: Mining): ChainTx[] {
    const nonces = new Map(head.state.nonces);
    const bySender = new Map<string, ChainTx[]>();
    for (const tx of [...pool.values()].sort((a, b) => Number(a.nonce - b.nonce))) {
      const sender = tx.sender!;
      if (random.percent(drop) || tx.nonce < (nonces.get(sender) ?? 0n)) pool.delete(tx.hash);
      else bySender.set(sender, [...(bySender.get(sender) ?? []), tx]);
    }
    const queues = [...bySender.values(), ...outside.map((tx) => [tx])];
    const chosen: ChainTx[] = [];
    while (queues.length > 0) {
      const at = random.below(queues.length);
      const next = queues[at]!.shift();
      const isNext = next && (next.sender === null || next.nonce === (nonces.get(next.sender) ?? 0n));
      if (!next || !isNext || !random.percent(share)) {
        queues.splice(at, 1);
        continue;
      }
      if (next.sender !== null) nonces.set(next.sender, next.nonce + 1n);
      chosen.push(next);
    }
    return chosen;
  }

  async function submit(raw: Hex): Promise<string> {
    const tx = await decode(raw);
    const sender = tx.sender!;
    if (tx.nonce < (head.state.nonces.get(sender) ?? 0n)) throw new RpcFault('nonce too low');
    if (pool.has(tx.hash)) throw new RpcFault('already known');
    const rival = [...pool.values()].find((other) => other.sender === sender && other.nonce === tx.nonce);
    if (rival) {
      const enough = (wei: bigint) => wei + wei / 10n;
      if (tx.maxFee < enough(rival.maxFee) || tx.tip < enough(rival.tip)) {
        throw new RpcFault('replacement transaction underpriced');
      }
      pool.delete(rival.hash);
    }
    pool.set(tx.hash, tx);
    return tx.hash;
  }

  const decoded = new Map<string, ChainTx>();
  async function decode(raw: Hex): Promise<ChainTx> {
    const hash = keccak256(raw);
    const known = decoded.get(hash);
    if (known) return known;
    const { to, nonce = 0, data = '0x', maxFeePerGas = 0n, maxPriorityFeePerGas = 0n } = parseTransaction(raw);
    const sender = asAddress(await recoverTransactionAddress({ serializedTransaction: raw as `0x02${string}` }));
    const effect = to ? callEffect(asAddress(to), data) : creationEffect(sender, nonce, data);
    const tx = { hash, sender, nonce: BigInt(nonce), maxFee: maxFeePerGas, tip: maxPriorityFeePerGas, effect };
    decoded.set(hash, tx);
    return tx;
  }

  function creationEffect(sender: string, nonce: number, data: Hex): Effect {
    const address = asAddress(getContractAddress({ from: sender as Hex, nonce: BigInt(nonce) }));
    if (nonce !== 0) return ({ state }) => Boolean(state.contracts.add(address));
    token = address;
    const { args } = decodeDeployData({ abi: quartersAbi, bytecode: quartersBytecode, data });
    const [, treasury, supply] = args as [string, string, bigint];
    return (context) => {
      context.state.contracts.add(address);
      // Logs that do not concern the service come first, as in the contract.
      context.emit({ address, topics: [OTHER], data: '0x' });
      return mint(context, asAddress(treasury), supply);
    };
  }

  function callEffect(to: string, data: Hex): Effect {
    return (context) => {
      if (!context.state.contracts.has(to)) return true;
      if (to === token) {
        const call = decodeFunctionData({ abi: quartersAbi, data });
        if (call.functionName === 'transferWithAuthorization') {
          const [from, payee, amount, , , nonce] = call.args;
          return pay(context, { from: asAddress(from), to: asAddress(payee), amount, nonce });
        }
        if (call.functionName === 'cancelAuthorization') return cancel(context, asAddress(call.args[0]), call.args[1]);
        throw new Error(`The synthetic token does not know ${call.functionName}`);
      }
      const { args } = decodeFunctionData({ abi: settlementAbi, data });
      for (const a of (args as unknown as [readonly { from: string; to: string; value: bigint; nonce: Hex }[]])[0]) {
        const paid = pay(context, { from: asAddress(a.from), to: asAddress(a.to), amount: a.value, nonce: a.nonce });
        if (!paid) context.emit({ address: to, topics: [OTHER], data: '0x' });
      }
      return true;
    };
  }

  function pay(context: Context, { from, to, amount, nonce }: AuthorizationCall): boolean {
    const { state } = context;
    const key = `${from}/${nonce}`;
    if (state.paused || state.decisions.has(key) || (state.balances.get(from) ?? 0n) < amount) return false;
    state.decisions.set(key, { kind: 'used', txHash: context.hash, block: context.block });
    context.emit({ address: token!, topics: [USED, pad(from as Hex), nonce], data: '0x' });
    return move(context, from, to, amount);
  }

  function cancel(context: Context, from: string, nonce: string): boolean {
    const key = `${from}/${nonce}`;
    if (context.state.decisions.has(key)) return false;
    context.state.decisions.set(key, { kind: 'canceled', txHash: context.hash, block: context.block });
    context.emit({ address: token!, topics: [CANCELED, pad(from as Hex), nonce], data: '0x' });
    return true;
  }

  function move({ state, emit }: Context, from: string, to: string, amount: bigint): boolean {
    if (from !== ZERO) state.balances.set(from, (state.balances.get(from) ?? 0n) - amount);
    state.balances.set(to, (state.balances.get(to) ?? 0n) + amount);
    const topics = [TRANSFER, pad(from as Hex), pad(to as Hex)];
    emit({ address: token!, topics, data: toHex(amount, { size: 32 }) });
    return true;
  }

  function mint(context: Context, to: string, amount: bigint): boolean {
    if (context.state.paused) return false;
    context.state.supply += amount;
    return move(context, ZERO, to, amount);
  }

  function fromOutside(effect: Effect, sender: string | null = null): ChainTx {
    const nonce = sender === null ? 0n : (head.state.nonces.get(sender) ?? 0n);
    const onToken: Effect = (context) => token !== null && context.state.contracts.has(token) && effect(context);
    return { hash: keccak256(stringToHex(`outside ${salt++}`)), sender, nonce, maxFee: 0n, tip: 0n, effect: onToken };
  }

  /** The first nonce from `mined` on that no waiting transaction uses. */
  function afterPool(sender: string, mined: bigint): bigint {
    const waiting = new Set([...pool.values()].filter((tx) => tx.sender === sender).map(({ nonce }) => nonce));
    let next = mined;
    while (waiting.has(next)) next++;
    return next;
  }

  const quantity = (value: bigint) => `0x${value.toString(16)}`;
  const blockAt = (tag: string) => (tag === 'latest' ? head : canonical[Number(BigInt(tag))]);
  const header = (block: Block) => ({
    number: quantity(block.number),
    hash: block.hash,
    parentHash: block.parent?.hash ?? `0x${'0'.repeat(64)}`,
    baseFeePerGas: quantity(BASE_FEE),
    gasLimit: quantity(10n ** 9n),
    timestamp: quantity(BigInt(block.minedAt)),
    logsBloom: block.logs.length > 0 ? BLOOM_ALL : BLOOM_NONE,
  });

  type Filter = { blockHash?: string; fromBlock?: string; toBlock?: string; address?: string; topics?: string[][] };
  function logsOf({ blockHash, fromBlock, toBlock, address, topics }: Filter) {
    const blocks = blockHash
      ? canonical.filter(({ hash }) => hash === blockHash)
      : canonical.slice(Number(fromBlock), Number(toBlock) + 1);
    if (blocks.length === 0) throw new RpcFault('unknown block');
    return blocks
      .flatMap(({ logs, number, hash }) =>
        logs.map((log, i) => ({
          ...log,
          logIndex: quantity(BigInt(i)),
          transactionHash: log.tx.hash,
          blockNumber: quantity(number),
          blockHash: hash,
          tx: null,
        })),
      )
      .filter((log) => (!address || log.address === address) && (!topics || topics[0]!.includes(log.topics[0]!)));
  }

  function receiptOf(hash: string) {
    const block = canonical.find(({ txs }) => txs.some((tx) => tx.hash === hash));
    if (!block) return null;
    const status = block.logs.some(({ tx }) => tx.hash === hash) ? '0x1' : '0x0';
    return { transactionHash: hash, blockNumber: quantity(block.number), blockHash: block.hash, status };
  }

  /** 8 bytes for each question to the token, as the creation code of `src/chain/balances.ts` returns them. */
  function askedAt(block: Block | undefined, data: string): string {
    if (!block) throw new RpcFault('unknown block');
    const { contracts, balances, decisions, supply } = block.state;
    if (!token || !contracts.has(token)) throw new RpcFault('execution reverted');
    const answers = questionsIn(data).map((question) => {
      const account = `0x${question.slice(32, 72)}`;
      if (question.startsWith(TOTAL_SUPPLY)) return supply;
      if (question.startsWith(BALANCE_OF)) return balances.get(account) ?? 0n;
      return decisions.has(`${account}/0x${question.slice(72)}`) ? 1n : 0n;
    });
    return `0x${answers.map((answer) => answer.toString(16).padStart(16, '0')).join('')}`;
  }

  function transactionOf(hash: string) {
    const tx = decoded.get(hash) ?? canonical.flatMap(({ txs }) => txs).find((one) => one.hash === hash);
    // Whoever is outside sends one transaction only.
    return tx ? { from: tx.sender ?? tx.hash.slice(0, 42), nonce: quantity(tx.nonce) } : null;
  }

  // biome-ignore lint/suspicious/noExplicitAny: parameters of JSON-RPC are what they are
  async function answer(method: string, params: readonly any[]): Promise<unknown> {
    switch (method) {
      case 'eth_chainId':
        return quantity(BigInt(CHAIN_ID));
      case 'eth_blockNumber':
        return quantity(head.number);
      case 'eth_getBlockByNumber': {
        const block = blockAt(params[0]);
        return block ? header(block) : null;
      }
      case 'eth_getBlockByHash': {
        const block = canonical.find(({ hash }) => hash === params[0]);
        return block ? header(block) : null;
      }
      case 'eth_getTransactionCount': {
        const address = asAddress(params[0]);
        const block = blockAt(params[1] === 'pending' ? 'latest' : params[1]);
        if (!block) throw new RpcFault('block not found');
        const mined = block.state.nonces.get(address) ?? 0n;
        return quantity(params[1] === 'pending' ? afterPool(address, mined) : mined);
      }
      case 'eth_getCode':
        return head.state.contracts.has(asAddress(params[0])) ? '0x60' : '0x';
      case 'eth_call':
        // The service asks for the token's domain separator, or many questions at once.
        if (params[0].to) return domainSeparator(CHAIN_ID, asAddress(params[0].to));
        return askedAt(
          canonical.findLast(({ hash }) => [hash, 'latest'].includes(params[1].blockHash ?? params[1])),
          params[0].data,
        );
      case 'eth_getBalance':
        return quantity(10n ** 24n);
      case 'eth_maxPriorityFeePerGas':
        return quantity(10n ** 9n);
      case 'eth_feeHistory':
        return { reward: [] };
      case 'eth_getLogs':
        return logsOf(params[0]);
      case 'eth_getTransactionReceipt':
        return receiptOf(params[0]);
      case 'eth_getTransactionByHash':
        return transactionOf(params[0]);
      case 'eth_sendRawTransaction':
        return submit(params[0]);
      default:
        throw new Error(`The synthetic chain does not know ${method}`);
    }
  }

  async function reply({ method, params }: RpcCall): Promise<RpcReply> {
    if (away) return { kind: 'unknown', reason: 'the node is away' };
    for (const event of scheduled) event.calls--;
    while (scheduled[0] && scheduled[0].calls < 0) {
      disturbances++;
      scheduled.shift()!.happen();
    }
    const lost = failing && --failing.calls < 0 ? failing : null;
    if (lost) {
      failing = null;
      faults++;
      if (!lost.replyLost) return { kind: 'unknown', reason: 'the call was lost' };
    }
    try {
      const result = await answer(method, params);
      return lost ? { kind: 'unknown', reason: 'the reply was lost' } : { kind: 'result', result };
    } catch (error) {
      if (!(error instanceof RpcFault)) throw error;
      return { kind: 'error', code: -32000, message: error.message };
    }
  }

  const rpc: Rpc = {
    async call<Result>(method: string, params: readonly unknown[]) {
      const got = await reply({ method, params });
      if (got.kind === 'result') return got.result as Result;
      throw got.kind === 'unknown' ? new RpcUnreachable(got.reason) : new Error(got.message);
    },
    async batch(calls) {
      const replies: RpcReply[] = [];
      for (const call of calls) replies.push(await reply(call));
      return replies;
    },
  };

  function cutTo(number: bigint): Block[] {
    const removed = canonical.slice(Number(number) + 1);
    canonical = canonical.slice(0, Number(number) + 1);
    head = canonical.at(-1)!;
    return removed;
  }

  return {
    rpc,
    get head() {
      return head;
    },
    /** How often so far a call was lost, or the chain changed between two calls: then work may fail half-way. */
    get faults() {
      return faults + disturbances;
    },
    blockByHash: (hash: string) => everSealed.get(hash),
    isCanonical: (hash: string) => canonical.some((block) => block.hash === hash),
    /** Makes `block` the head and empties the pool, as if nothing else had happened; for the next run of a property. */
    reset(block: Block): void {
      canonical = [];
      for (let at: Block | null = block; at; at = at.parent) canonical.unshift(at);
      head = block;
      pool.clear();
      outside = [];
      scheduled.length = 0;
      failing = null;
      away = false;
      lie = null;
    },
    mine(mining: Mining): void {
      append(executable(mining));
    },
    /** The pool forgets transactions that wait for one that it lacks. No call shows that a node has such a transaction. */
    forgetBlocked(): void {
      for (const { sender, nonce, hash } of [...pool.values()]) {
        if (nonce >= afterPool(sender!, head.state.nonces.get(sender!) ?? 0n)) pool.delete(hash);
      }
    },
    /** The next calls, as many as `after`, succeed; then one is lost, before or after its effect. */
    loseCall(after: number, replyLost: boolean): void {
      failing = { calls: after, replyLost };
    },
    /** Makes something happen between two calls. */
    schedule(calls: number, happen: () => void): void {
      scheduled.push({ calls, happen });
      scheduled.sort((a, b) => a.calls - b.calls);
    },
    /** Whether no call reaches the node. */
    leave(isAway: boolean): void {
      away = isAway;
    },
    calm(): void {
      scheduled.length = 0;
      failing = null;
    },
    /** What is answered under the path `/liar`. Null: the truth. */
    lie(next: Lie | null, random: () => number = () => 0): void {
      lie = next && ((method, result) => next(method, result, random));
    },
    /**
     * Replaces the newest `depth` blocks by `blocks` others. Of their transactions some are mined again, in another
     * order, some wait, and some (in percent) are forgotten. Without a new block it is a node restored to an older
     * state.
     */
    reorganise(depth: number, blocks: number, mining: Mining): void {
      const to = head.number - BigInt(depth);
      const removed = cutTo(to > 0n ? to : 0n).flatMap(({ txs }) => txs);
      if (blocks === 0) pool.clear();
      for (const tx of removed) {
        if (mining.random.percent(mining.drop)) continue;
        if (tx.sender === null) outside.push(tx);
        else if (decoded.has(tx.hash)) pool.set(tx.hash, tx);
      }
      for (let i = 0; i < blocks; i++) append(executable({ ...mining, drop: 0 }));
    },
    /** Somebody outside sends quarters to `to`; mined with the next blocks. */
    deposit(to: string, amount: bigint): void {
      outside.push(fromOutside((context) => mint(context, to, amount)));
    },
    /** A stranger submits public authorizations, together or alone. */
    submitAuthorizations(authorizations: readonly AuthorizationCall[]): void {
      outside.push(
        fromOutside((context) => authorizations.map((authorization) => pay(context, authorization)).some(Boolean)),
      );
    },
    cancelAuthorization(from: string, nonce: string): void {
      outside.push(fromOutside((context) => cancel(context, from, nonce)));
    },
    pause(paused: boolean): void {
      append([
        fromOutside(({ state }) => {
          state.paused = paused;
          return true;
        }),
      ]);
    },
    /** Somebody else uses the key of `sender`, which takes its next nonce. */
    takeNonce(sender: string): void {
      append([fromOutside(() => true, sender)]);
    },
    mineNow(): void {
      append(outside);
    },
    /** Serves the chain over HTTP, for the start of a service; transactions sent this way are mined at once. */
    async listen(): Promise<{ url: string; close(): Promise<void> }> {
      const server = createServer(async (request, response) => {
        if (away) return void request.socket.destroy();
        let body = '';
        for await (const part of request) body += part;
        const answers: unknown[] = [];
        const asked = JSON.parse(body);
        for (const { id, method, params } of [asked].flat()) {
          try {
            const truth = await answer(method, params);
            const result = lie && request.url === '/liar' ? await lie(method, truth) : truth;
            answers.push({ jsonrpc: '2.0', id, result });
          } catch (error) {
            answers.push({ jsonrpc: '2.0', id, error: { code: -32000, message: (error as Error).message } });
          }
          if (method === 'eth_sendRawTransaction') append(executable(EVERYTHING));
        }
        response
          .setHeader('content-type', 'application/json')
          .end(JSON.stringify(Array.isArray(asked) ? answers : answers[0]));
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      return {
        url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
        close: () => {
          server.closeAllConnections();
          return new Promise((resolve) => server.close(() => resolve()));
        },
      };
    },
  };
}

/** Mines everything possible. */
const EVERYTHING: Mining = { share: 100, drop: 0, random: { below: () => 0, percent: (of) => of > 0 } };

const TOTAL_SUPPLY = '18160ddd';
const BALANCE_OF = '70a08231';
/** Digits of a selector, and of a word. */
const [SELECTOR, WORD] = [8, 64];

/** The calldata behind the code that asks. The code begins by pushing its own length. */
function questionsIn(data: string): string[] {
  const questions = data.slice(2 + 2 * Number.parseInt(data.slice(4, 6), 16));
  const words = questions.startsWith(TOTAL_SUPPLY) ? 0 : questions.startsWith(BALANCE_OF) ? 1 : 2;
  const digits = SELECTOR + words * WORD;
  return Array.from({ length: questions.length / digits }, (_, i) => questions.slice(i * digits, (i + 1) * digits));
}

/** The node understood the call and refused it. */
class RpcFault extends Error {
  override readonly name = 'RpcFault';
}

function copy(state: TokenState | undefined): TokenState {
  return {
    balances: new Map(state?.balances),
    decisions: new Map(state?.decisions),
    nonces: new Map(state?.nonces),
    contracts: new Set(state?.contracts),
    supply: state?.supply ?? 0n,
    paused: state?.paused ?? false,
  };
}
