import assert from 'node:assert/strict';
import { toEventSelector, toFunctionSelector } from 'viem';
import { toQuantity } from '../../../src/chain/rpc.ts';
import type { Service } from '../../../src/service/service.ts';
import { assertHoldsAreTransfers, assertLedgerIsChain } from './audit.ts';
import type { World } from './crash-world.ts';
import type { Call } from './load-calls.ts';
import type { LoadClient } from './load-client.ts';

const TRANSFER = toEventSelector('Transfer(address,address,uint256)');
const USED = toEventSelector('AuthorizationUsed(address,bytes32)');
const TRANSFER_WITH_AUTHORIZATION = toFunctionSelector(
  'transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,uint8,bytes32,bytes32)',
);
const NOBODY = `0x${'0'.repeat(40)}`;
const BLOCKS_AT_ONCE = 50;

/** How many calls there were, by their answer, and how many of the accepted ones the chain shows exactly once. */
export type Figures = {
  readonly accepted: number;
  readonly onChain: number;
  readonly refused: number;
  readonly declined: number;
  readonly asked: number;
};

export type CrashAudit = {
  /** When everything is settled: compares client, interface, database and chain, and returns the number of calls. */
  check(origin: string): Promise<Figures>;
  /** Reads the chain's new blocks. In a long run, call it often: the node keeps the newest 1,024. */
  readChain(): Promise<void>;
  /** Checks until `stop` that no account of ours ever has less than its hold. Returns the number of checks. */
  watch(stop: AbortSignal): Promise<number>;
};

/**
 * Reads what the chain itself shows from its logs and transactions. `check` continues where it stopped, so that a long
 * run works with a node that keeps few blocks. It is not for chains that are reorganised below a check.
 */
export function openCrashAudit(
  world: World,
  client: LoadClient,
  /** Set if a transaction may be replaced. Then the hash on the chain is the one that the interface reports now. */
  options: { hashesMayChange?: boolean } = {},
): CrashAudit {
  /** `from/to/amount` → transactions. */
  const transfers = new Map<string, string[]>();
  /** Authorization nonce → how many transactions carried it, and how many logs used it. */
  const carried = new Map<string, number>();
  const used = new Map<string, number>();
  let next = 0n;
  const seen = new Set<Call>();

  async function readOn({ rpc, chain }: Service): Promise<void> {
    const head = BigInt(await rpc.call<string>('eth_blockNumber', []));
    for (; next <= head; next += BigInt(BLOCKS_AT_ONCE)) {
      const last = next + BigInt(BLOCKS_AT_ONCE) - 1n < head ? next + BigInt(BLOCKS_AT_ONCE) - 1n : head;
      const [logs, ...blocks] = await rpc.batch([
        {
          method: 'eth_getLogs',
          params: [{ fromBlock: toQuantity(next), toBlock: toQuantity(last), address: chain.contracts.token }],
        },
        ...Array.from({ length: Number(last - next) + 1 }, (_, i) => ({
          method: 'eth_getBlockByNumber',
          params: [toQuantity(next + BigInt(i)), true],
        })),
      ]);
      for (const log of result<{ topics: string[]; data: string; transactionHash: string }[]>(logs)) noteLog(log);
      for (const block of blocks) {
        for (const { to, input } of result<{ transactions: { to: string | null; input: string }[] }>(block)
          .transactions) {
          if (to === chain.contracts.token && input.startsWith(TRANSFER_WITH_AUTHORIZATION)) {
            count(carried, `0x${input.slice(10 + 5 * 64, 10 + 6 * 64)}`);
          }
        }
      }
    }
    next = head + 1n;
  }

  function noteLog({
    topics: [topic, first, second],
    data,
    transactionHash,
  }: {
    topics: string[];
    data: string;
    transactionHash: string;
  }) {
    if (topic === USED) count(used, second!);
    if (topic !== TRANSFER) return;
    const key = `0x${first!.slice(-40)}/0x${second!.slice(-40)}/${BigInt(data)}`;
    transfers.set(key, [...(transfers.get(key) ?? []), transactionHash]);
  }

  function assertChainIsWhatWasAsked(treasury: string): void {
    const explained = new Set<string>();
    for (const call of client.calls) {
      const key = logKey(call);
      const paid = transfers.get(key) ?? [];
      explained.add(key);
      assert.ok(call.answer, `${name(call)} has no answer`);
      if (call.answer.outcome === 'paid') {
        assert.equal(paid.length, 1, `${name(call)}: told ${call.answer.txId}, on the chain ${paid}`);
        if (!options.hashesMayChange) assert.equal(paid[0], call.answer.txId, name(call));
      } else assert.deepEqual(paid, [], `${name(call)}: ${JSON.stringify(call.answer)}, and yet paid`);
    }
    for (const [key, hashes] of transfers) {
      const [from, to, amount] = key.split('/');
      if (explained.has(key) || from === NOBODY) continue;
      assert.equal(from, treasury, `nobody asked for ${key}: ${hashes}`);
      assert.equal(hashes.length, world.issued.get(`${to}/${amount}`), `issued ${key}`);
    }
    for (const [nonce, times] of used) assert.equal(times, 1, `authorization ${nonce} was used`);
    for (const [nonce, times] of carried) assert.equal(times, 1, `transactions on the chain that carry ${nonce}`);
  }

  function figures(): Figures {
    const answeredWith = (outcome: string) => client.calls.filter(({ answer }) => answer?.outcome === outcome);
    const accepted = answeredWith('paid');
    const onChain = accepted.filter((call) => transfers.get(logKey(call))?.length === 1);
    return {
      accepted: accepted.length,
      onChain: onChain.length,
      refused: answeredWith('refused').length,
      declined: answeredWith('declined').length,
      asked: client.calls.length,
    };
  }

  async function assertInterfaceSaysTheSame(origin: string): Promise<void> {
    for (const call of client.calls) {
      if (seen.has(call) || call.answer?.outcome !== 'paid') continue;
      const { requestId, txId } = call.answer;
      const response = await fetch(`${origin}/v1/requests/${requestId}`, {
        headers: { authorization: `Bearer ${call.app.serverKey}` },
      });
      const now = (await response.json()) as { status: string; txId: string };
      const [onChain] = transfers.get(logKey(call)) ?? [];
      assert.deepEqual([now.status, now.txId], ['completed', options.hashesMayChange ? onChain : txId], name(call));
    }
  }

  return {
    async readChain() {
      await readOn(await world.operator());
    },
    async check(origin) {
      const service = await world.operator();
      await readOn(service);
      const [treasury] = await service.db.query<{ address: string }>(
        `SELECT address FROM accounts WHERE kind = 'treasury'`,
      );
      assertChainIsWhatWasAsked(treasury!.address);
      await assertInterfaceSaysTheSame(origin);
      await assertDatabaseIsClient(service, client, world);
      await assertLedgerIsChain(service);
      await assertNoncesAreChain(service);
      // The same call with the same key gets the same answer, whatever happened in between.
      const fresh = client.calls
        .filter((call) => !seen.has(call) && call.answer?.outcome === 'paid' && call.key !== null)
        .slice(0, 10);
      for (const call of fresh)
        assert.deepEqual(await client.repeat(origin, call), [call.answer], `${name(call)} repeated`);
      for (const call of client.calls) seen.add(call);
      return figures();
    },
    async watch(stop) {
      let looks = 0;
      const { db } = await world.operator();
      while (!stop.aborted) {
        const below = await db.query(
          `SELECT address, posted, held FROM accounts WHERE kind IN ('user', 'app', 'treasury') AND posted < held`,
        );
        assert.deepEqual(below, [], 'an account holds more than its balance');
        await assertHoldsAreTransfers({ db });
        looks++;
        await new Promise((resolve) => setTimeout(resolve, 25));
      }
      return looks;
    },
  };
}

/** There are as many transfers as were asked for and accepted, all completed, and a request for each. */
async function assertDatabaseIsClient({ db }: Service, { calls }: LoadClient, { issued }: World): Promise<void> {
  const paid = calls.filter(({ answer }) => answer?.outcome === 'paid').length;
  const issues = [...issued.values()].reduce((sum, times) => sum + times, 0);
  const rows = await db.query<{ status: string; count: bigint }>(
    'SELECT status, count(*) FROM transfers GROUP BY status',
  );
  assert.deepEqual(rows, [{ status: 'completed', count: BigInt(paid + issues) }], 'transfers');
  const wrong = await db.query(
    `SELECT requests.id, requests.status FROM requests
      WHERE (status = 'completed') <> EXISTS (SELECT FROM transfers WHERE request_id = requests.id)`,
  );
  assert.deepEqual(wrong, [], 'requests and transfers');
}

/** The chain has what we have signed: no nonce is missing, and none was used twice. */
async function assertNoncesAreChain({ db, rpc }: Service): Promise<void> {
  const relayers = await db.query<{ address: string; next_nonce: bigint; nonces: bigint }>(
    `SELECT address, next_nonce, (SELECT count(DISTINCT nonce) FROM transactions WHERE relayer = address) AS nonces
       FROM relayers`,
  );
  for (const { address, next_nonce, nonces } of relayers) {
    const onChain = BigInt(await rpc.call<string>('eth_getTransactionCount', [address, 'latest']));
    assert.deepEqual([next_nonce, nonces], [onChain, onChain], `nonces of ${address}`);
  }
}

function result<T>(reply: { kind: string; result?: unknown } | undefined): T {
  assert.equal(reply?.kind, 'result', JSON.stringify(reply));
  return reply!.result as T;
}

function count(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function logKey({ from, to, amount }: Call): string {
  return `${from}/${to}/${amount}`;
}

function name(call: Call): string {
  return `${call.kind} ${call.amount} from ${call.from} to ${call.to}`;
}
