import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Evm } from './evm.ts';
import { isOnOp } from './op.ts';

type Edr = typeof import('@nomicfoundation/edr');
type Raw = `0x${string}`;
type Pending = { readonly hash: string; readonly from: string; readonly nonce: string };
type Call = { readonly id?: unknown; readonly method: string; readonly params?: readonly unknown[] };

/** Chosen with `QUARTERS_TEST_NODE=edr`, or `edr-op` for its rules of the OP Stack. */
export const isOnEdr = process.env.QUARTERS_TEST_NODE?.startsWith('edr') ?? false;

/** EDR for this machine; null if its package has no binary for it. */
export async function loadEdr(): Promise<Edr | null> {
  return import('@nomicfoundation/edr').catch(() => null);
}

/** Development calls that both nodes have, under two names. */
const NAMES: Readonly<Record<string, string>> = {
  anvil_impersonateAccount: 'hardhat_impersonateAccount',
  anvil_mine: 'hardhat_mine',
  anvil_setBalance: 'hardhat_setBalance',
  anvil_setBlockGasLimit: 'evm_setBlockGasLimit',
  anvil_setCode: 'hardhat_setCode',
  anvil_setNextBlockBaseFeePerGas: 'hardhat_setNextBlockBaseFeePerGas',
  anvil_setNonce: 'hardhat_setNonce',
  anvil_setStorageAt: 'hardhat_setStorageAt',
};

const GENESIS_GAS_LIMIT = 60_000_000n;
const SNAPSHOTS_KEPT = 100;

/**
 * Starts EDR, the node inside Hardhat, in this process, behind an HTTP server. It answers the calls of anvil that the
 * tests use: under its own names, from its list of pending transactions, or by its snapshots. Everything else, and every
 * error, is its own.
 */
export async function startEdr({ args = [] }: { args?: readonly string[] } = {}): Promise<Evm> {
  const request = await openProvider(args);
  // One call after the other, because some of ours are several of EDR's.
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const done = last.then(work);
    last = done.catch(() => {});
    return done;
  };
  const extra = extraCalls(request);
  const answer = (method: string, params: readonly unknown[]) =>
    inTurn(() => extra[method]?.(params) ?? request(NAMES[method] ?? method, params));

  const server = createServer(async (incoming, response) => {
    let body = '';
    for await (const part of incoming) body += part;
    const parsed = JSON.parse(body) as Call | Call[];
    const replies: object[] = [];
    for (const { id, method, params = [] } of [parsed].flat()) {
      const reply = await answer(method, params).then(
        (result) => ({ result: result ?? null }),
        (error) => ({ error: { code: error.code ?? -32603, message: error.message } }),
      );
      replies.push({ jsonrpc: '2.0', id, ...reply });
    }
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(Array.isArray(parsed) ? replies : replies[0]));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    rpc: (method, params = []) =>
      answer(method, params).catch((error: Error) => {
        throw new Error(`${method}: ${error.message}`);
      }),
    dump: () => Promise.reject(new Error('EDR cannot write its state to a file')),
    stop: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

type Request = (method: string, params: readonly unknown[]) => Promise<unknown>;

let context: InstanceType<Edr['EdrContext']> | undefined;

/** The rules that it follows: the newest it has. */
function rulesOf(edr: Edr) {
  if (!isOnOp) {
    const newest = edr.l1HardforkLatest();
    const rules = { hardfork: edr.l1HardforkToString(newest), genesisState: edr.l1GenesisState(newest) };
    return { chainType: edr.L1_CHAIN_TYPE, factory: edr.l1ProviderFactory, rules };
  }
  const newest = edr.opLatestHardfork();
  const rules = { hardfork: edr.opHardforkToString(newest), genesisState: edr.opGenesisState(newest) };
  return { chainType: edr.OP_CHAIN_TYPE, factory: edr.opProviderFactory, rules };
}

async function openProvider(args: readonly string[]): Promise<Request> {
  const edr = (await loadEdr())!;
  const { chainType, factory, rules } = rulesOf(edr);
  if (!context) {
    context = new edr.EdrContext();
    await context.registerProviderFactory(chainType, factory());
  }
  const chainIdAt = args.indexOf('--chain-id');
  const provider = await context.createProvider(
    chainType,
    {
      ...rules,
      allowBlocksWithSameTimestamp: true,
      allowUnlimitedContractSize: false,
      bailOnCallFailure: false,
      bailOnTransactionFailure: false,
      chainId: chainIdAt < 0 ? 31_337n : BigInt(args[chainIdAt + 1]!),
      coinbase: Buffer.alloc(20),
      defaultTransactionGasLimit: 16_000_000n,
      initialBaseFeePerGas: 10n ** 9n,
      initialParentBeaconBlockRoot: Buffer.alloc(32),
      minGasPrice: 0n,
      mining: {
        autoMine: !args.includes('--no-mining'),
        blockGasLimit: GENESIS_GAS_LIMIT,
        memPool: { order: edr.MineOrdering.Fifo },
      },
      network: { genesisBlockGasLimit: GENESIS_GAS_LIMIT },
      networkId: 31_337n,
      observability: {},
      ownedAccounts: [],
      precompileOverrides: [],
    },
    { enable: false, decodeConsoleLogInputsCallback: () => [], printLineCallback() {} },
    { subscriptionCallback() {} },
    new edr.ContractDecoder(),
  );
  return async (method, params) => {
    const { data } = await provider.handleRequest(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
    const reply = typeof data === 'string' ? JSON.parse(data) : data;
    if (!reply.error) return reply.result;
    throw Object.assign(new Error(reply.error.message), { code: reply.error.code });
  };
}

/** Calls of anvil that EDR does not have. */
function extraCalls(request: Request): Readonly<Record<string, (params: readonly unknown[]) => Promise<unknown>>> {
  const raws = new Map<string, Raw>();
  const snapshots = new Map<bigint, string>();
  const head = async () => BigInt((await request('eth_blockNumber', [])) as string);
  const waiting = () => request('eth_pendingTransactions', []) as Promise<Pending[]>;
  const dropAll = async () => {
    // One that waits for an earlier one is dropped first, or the earlier one's end would release it.
    for (const { hash } of (await waiting()).reverse()) await request('hardhat_dropTransaction', [hash]);
  };
  const send = async (raw: Raw) => {
    const hash = (await request('eth_sendRawTransaction', [raw])) as string;
    raws.set(hash, raw);
    return hash;
  };
  const mine = async () => {
    const number = await head();
    snapshots.set(number, (await request('evm_snapshot', [])) as string);
    snapshots.delete(number - BigInt(SNAPSHOTS_KEPT));
    await request('evm_mine', []);
  };
  /** EDR lists those that wait for an earlier one among the others. */
  const pool = async () => {
    const next = new Map<string, number>();
    const [pending, queued]: Record<string, Record<string, Pending>>[] = [{}, {}];
    for (const one of (await waiting()).sort((a, b) => Number(a.nonce) - Number(b.nonce))) {
      const { from } = one;
      const nonce = Number(one.nonce);
      if (!next.has(from)) next.set(from, Number(await request('eth_getTransactionCount', [from, 'latest'])));
      const list = nonce === next.get(from) ? pending! : queued!;
      if (list === pending) next.set(from, nonce + 1);
      list[from] = { ...list[from], [nonce]: one };
    }
    return { pending: pending!, queued: queued! };
  };
  const count = (list: Record<string, Record<string, Pending>>) =>
    `0x${Object.values(list)
      .reduce((sum, ofSender) => sum + Object.keys(ofSender).length, 0)
      .toString(16)}`;
  return {
    evm_mine: mine,
    anvil_mine: async ([count]) => {
      for (let i = 0; i < Number(count ?? 1); i++) await mine();
    },
    eth_sendRawTransaction: ([raw]) => send(raw as Raw),
    eth_getRawTransactionByHash: async ([hash]) => raws.get(hash as string) ?? null,
    anvil_dropAllTransactions: dropAll,
    anvil_dropTransaction: ([hash]) => request('hardhat_dropTransaction', [hash]),
    txpool_content: pool,
    async txpool_status() {
      const { pending, queued } = await pool();
      return { pending: count(pending), queued: count(queued) };
    },
    async anvil_reorg([depth, transactions]) {
      const target = (await head()) - BigInt(depth as number);
      await request('evm_revert', [snapshots.get(target)]);
      for (const number of snapshots.keys()) if (number >= target) snapshots.delete(number);
      await dropAll();
      // A block with the same contents and time would be the same block.
      await request('evm_increaseTime', [1]);
      for (let block = 0; block < Number(depth); block++) {
        for (const [raw, at] of transactions as [Raw, number][]) if (at === block) await send(raw).catch(() => {});
        await mine();
      }
    },
  };
}
