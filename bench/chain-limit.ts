/**
 * The limit of everything that settles on this node: raw transactions signed beforehand are sent in JSON-RPC batches, mined in
 * blocks of a second, and their logs are read. Alone: `node bench/chain-limit.ts`.
 */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import secp256k1 from 'secp256k1';
import { type Address, asAddress } from '../src/base/address.ts';
import { bytesToHex, type Hash } from '../src/base/hex.ts';
import { keccak256 } from '../src/base/keccak.ts';
import { asQuarters } from '../src/base/quarters.ts';
import { planDeployment } from '../src/chain/deployment.ts';
import { toQuantity } from '../src/chain/rpc.ts';
import { authorizationDigest, type Contracts, carry, domainSeparator, joinSignature } from '../src/chain/token.ts';
import { signTransaction } from '../src/chain/transaction.ts';
import { type BenchChain, BLOCK_MS, startChain } from './chain.ts';
import type { Claim, Effort } from './claim.ts';
import { processorTimeBetween, readProcessorTime } from './processor-time.ts';
import { countAt, steadyRate } from './progress.ts';
import { runAlone } from './run.ts';

const CHAIN_ID = 31_337;
const FEES = { maxFeePerGas: 100_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n, isLegacy: false };
const SUPPLY = asQuarters(10n ** 12n);
const RECIPIENTS = 1_000;
const TRANSFERS_A_BATCH = 200;
/** Relayers whose nonces are independent, so that batches of several can be on their way at once. */
const LANES = 2;
/** More would only wait in the node's pool. */
const MOST_UNMINED = 6_000;
/** As many as the service settles in this time at its best, so that the node's state grows as much. */
const SIGNED_A_SECOND = 3_000;
/** Enough for the blocks that a rate needs. */
const SIGNED_AT_LEAST = 20_000;
const TRANSFER_TOPIC = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

export type ChainLimit = { readonly perSecond: number; readonly processorMs: number };

type Account = { readonly address: Address; sign(digest: Uint8Array): { rs: Uint8Array; yParity: 0 | 1 } };
type Batch = { readonly body: string; readonly transfers: number };
type Prepared = { readonly deployments: readonly string[]; readonly lanes: readonly (readonly Batch[])[] };

const prepared = new Map<string, Prepared>();

/** The same bytes fit each new chain, so signing is done once. */
export async function measureChainLimit(perTransaction: number, { seconds }: Effort): Promise<ChainLimit> {
  const key = `${perTransaction} ${seconds}`;
  const bytes = prepared.get(key) ?? prepare(perTransaction, Math.max(seconds * SIGNED_A_SECOND, SIGNED_AT_LEAST));
  prepared.set(key, bytes);
  const folder = mkdtempSync(join(tmpdir(), 'quarters-bench-node-'));
  const chain = await startChain(folder);
  try {
    return await settle(chain, bytes);
  } finally {
    await chain.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function settle(chain: BenchChain, { deployments, lanes }: Prepared): Promise<ChainLimit> {
  const accounts = [account('operator'), ...lanes.map((_, lane) => account(`relayer ${lane}`))];
  for (const { address } of accounts) await chain.rpc.call('anvil_setBalance', [address, toQuantity(10n ** 24n)]);
  for (const raw of deployments) await chain.rpc.call('eth_sendRawTransaction', [raw]);
  await chain.rpc.call('evm_mine', []);

  const processes = { node: [chain.pid] };
  const before = readProcessorTime(processes);
  const began = Date.now();
  const mined: { at: number; count: number }[] = [];
  let sent = 0;
  const send = async (batches: readonly Batch[]) => {
    for (const { body, transfers } of batches) {
      while (sent - (mined.at(-1)?.count ?? 0) > MOST_UNMINED) await delay(5);
      await post(chain.url, body);
      sent += transfers;
    }
  };
  const sending = Promise.all(lanes.map(send)).then(() => Date.now());
  let over: number | undefined;
  void sending.then((at) => {
    over = at;
  });
  let read = Number(await chain.rpc.call<string>('eth_blockNumber', []));
  for (let count = 0; over === undefined || count < sent; await delay(BLOCK_MS / 10)) {
    const head = Number(await chain.rpc.call<string>('eth_blockNumber', []));
    while (read < head) {
      const number = toQuantity(++read);
      const logs = await chain.rpc.call<{ topics: string[] }[]>('eth_getLogs', [
        { fromBlock: number, toBlock: number },
      ]);
      count += logs.filter(({ topics }) => topics[0] === TRANSFER_TOPIC).length;
      mined.push({ at: Date.now(), count });
    }
  }
  const { node } = processorTimeBetween(before, readProcessorTime(processes));
  return { perSecond: steadyRate(mined, began, over), processorMs: node! / countAt(mined, Date.now()) };
}

async function post(url: string, body: string): Promise<void> {
  const reply = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  const text = await reply.text();
  if (text.includes('"error"')) throw new Error(`The node refused a transaction: ${text.slice(0, 300)}`);
}

/** Signs transfers from one account to many, as the service does: an authorization each, and transactions that carry them. */
function prepare(perTransaction: number, transfers: number): Prepared {
  const [operator, treasury] = [account('operator'), account('treasury')];
  const { contracts, deployments } = planDeployment(operator.address, treasury.address, SUPPLY);
  const domain = domainSeparator(CHAIN_ID, contracts.token);
  const authorize = (i: number) => {
    const to = asAddress(`0x${(0x10000 + (i % RECIPIENTS)).toString(16).padStart(40, '0')}`);
    const authorization = { from: treasury.address, to, amount: asQuarters(1n), nonce: digest(`nonce ${i}`) };
    const signature = joinSignature(treasury.sign(authorizationDigest(domain, authorization)));
    return { ...authorization, signature };
  };
  const inLane = Math.floor(transfers / LANES);
  return {
    deployments: deployments.map((one) =>
      bytesToHex(signTransaction({ ...one, chainId: CHAIN_ID, fees: FEES }, operator.sign).raw),
    ),
    lanes: Array.from({ length: LANES }, (_, lane) =>
      signLane(contracts, account(`relayer ${lane}`), perTransaction, inLane, (i) => authorize(lane * inLane + i)),
    ),
  };
}

function signLane(
  contracts: Contracts,
  relayer: Account,
  perTransaction: number,
  transfers: number,
  authorize: (i: number) => Parameters<typeof carry>[1][number],
): Batch[] {
  const batches: Batch[] = [];
  const perBatch = Math.max(1, Math.floor(TRANSFERS_A_BATCH / perTransaction));
  for (let nonce = 0, i = 0; i < transfers; ) {
    const calls: object[] = [];
    const first = i;
    for (let n = 0; n < perBatch && i < transfers; n++, nonce++) {
      const authorizations = Array.from({ length: Math.min(perTransaction, transfers - i) }, () => authorize(i++));
      const call = { ...carry(contracts, authorizations), chainId: CHAIN_ID, nonce: BigInt(nonce), fees: FEES };
      const { raw } = signTransaction(call, relayer.sign);
      calls.push({ jsonrpc: '2.0', id: nonce, method: 'eth_sendRawTransaction', params: [bytesToHex(raw)] });
    }
    batches.push({ body: JSON.stringify(calls), transfers: i - first });
  }
  return batches;
}

function account(name: string): Account {
  const key = createHash('sha256').update(`quarters bench ${name}`).digest();
  const publicKey = secp256k1.publicKeyCreate(key, false);
  return {
    address: asAddress(bytesToHex(keccak256(publicKey.subarray(1)).subarray(12))),
    sign(bytes) {
      const { signature, recid } = secp256k1.ecdsaSign(bytes, key);
      return { rs: signature, yParity: recid === 1 ? 1 : 0 };
    },
  };
}

const digest = (text: string) => `0x${createHash('sha256').update(text).digest('hex')}` as Hash;

const chainLimit: Claim = {
  name: 'chain-limit',
  title: 'Limit: the node end to end',
  method:
    'Raw transactions signed beforehand, sent in JSON-RPC batches, mined in blocks, their logs read. Nothing else runs.',
  async measure(effort) {
    const figures = [];
    for (const [words, size] of [
      ['single', 1],
      ['packed by 50', 50],
    ] as const) {
      const { perSecond, processorMs } = await measureChainLimit(size, effort);
      figures.push(
        { name: `transfers, ${words}`, value: perSecond, unit: '/s' },
        { name: `CPU of the node for one, ${words}`, value: processorMs, unit: 'ms' },
      );
    }
    return figures;
  },
};

if (import.meta.main) await runAlone(chainLimit);
