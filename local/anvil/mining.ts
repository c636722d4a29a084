import type { Rpc } from '../../src/chain/rpc.ts';

type Pool = {
  pending: Record<string, Record<string, { hash: string }>>;
  queued: Record<string, Record<string, { hash: string }>>;
};

export type Mining = {
  /** Runs `work` between two blocks, so that none is made during it. */
  alone<T>(work: () => Promise<T>): Promise<T>;
  /** There are transactions: looks at the pool now, not at the next interval. */
  wake(): void;
  /** Makes a block soon, even if no transaction waits. */
  makeOne(): void;
  stop(): Promise<void>;
};

type MiningOptions = {
  depth?: number | undefined;
  idleMs?: number;
  /** Nobody knows whether the blocks that the chain begins with have those that follow them. */
  isRestored?: boolean;
  /** So many empty blocks follow when nothing waits any more: what was mined becomes final. */
  trailing?: number;
  /** Asked before each block. */
  mayMine?: () => Promise<boolean>;
  /** Asked before each of the blocks that follow. */
  mayTrail?: () => Promise<boolean>;
  /** Called after each block, with the number of transactions that waited for it. */
  onMined?: (transactions: number) => void;
};

const IDLE_LOOKS = 5;
const MOST_REST_MS = 1_000;

/**
 * Mines a block whenever transactions wait, at most one per `intervalMs`: none while idle, and bursts share blocks. The
 * last block is followed by as many as bring it to `depth` blocks (1: itself), so that it counts, and then by `trailing` more. After a few looks at
 * an empty pool the next ones come every `idleMs`, unless woken.
 *
 * The node computes over its whole state for each block, and does nothing else meanwhile. So it rests after a block as
 * long as that took, up to a second: with a large state or a full pool, blocks become rarer and fuller.
 * (Foundry 1.8 keeps the state's root up to date instead, foundry-rs/foundry#15715. npm has 1.7.1.)
 *
 * anvil's own modes do not work here. Automine loses wake-ups and entries under concurrent senders: thousands of
 * transactions stay in the pool until something else wakes it, or for ever. Interval mining makes empty blocks.
 */
export function startMining(rpc: Rpc, intervalMs: number, options: MiningOptions = {}): Mining {
  const { depth = 1, idleMs = intervalMs, trailing = 0, isRestored = false, onMined = () => {} } = options;
  const { mayMine = async () => true, mayTrail = mayMine } = options;
  let [owed, trail] = isRestored ? [depth - 1, trailing] : [0, 0];
  let last: Promise<unknown> = Promise.resolve();
  const alone: Mining['alone'] = (work) => {
    const done = last.then(work);
    last = done.catch(() => {});
    return done;
  };
  /** Returns how long the node took, in milliseconds. */
  const mine = () =>
    alone(async () => {
      const began = performance.now();
      await rpc.call('evm_mine', []);
      return performance.now() - began;
    });
  let ended = false;
  let emptyLooks = 0;
  const pause = openPause();
  const loop = (async () => {
    let stuckBefore = '';
    while (!ended) {
      const began = performance.now();
      let rest = 0;
      try {
        const { pending, queued } = await rpc.call<{ pending: string; queued: string }>('txpool_status', []);
        emptyLooks = Number(pending) + Number(queued) + owed + trail > 0 ? 0 : emptyLooks + 1;
        if (Number(pending) + owed > 0) {
          if (await mayMine()) {
            rest = Math.min(await mine(), MOST_REST_MS);
            owed = Number(pending) > 0 ? depth - 1 : owed - 1;
            if (Number(pending) > 0) trail = trailing;
            onMined(Number(pending));
          }
        } else if (Number(queued) > 0) {
          const stuck = await findStuck(rpc);
          // Acts only on the second sight, because the transaction may just be moving from one list to the other.
          if (stuck !== '' && stuck === stuckBefore) await requeue(rpc);
          stuckBefore = stuck;
        } else if (trail > 0 && (await mayTrail())) {
          rest = Math.min(await mine(), MOST_REST_MS);
          trail--;
          onMined(0);
        }
      } catch {
        // A node that has ended is reported by its exit; any other failure is retried.
      }
      const untilNext = emptyLooks > IDLE_LOOKS ? idleMs : intervalMs - (performance.now() - began);
      if (!ended) await pause.of(Math.max(untilNext, rest));
    }
  })();
  const wake = () => {
    // Ends only an idle pause, because blocks keep their distance.
    if (emptyLooks > IDLE_LOOKS) pause.end();
    emptyLooks = 0;
  };
  return {
    alone,
    wake,
    makeOne() {
      owed = Math.max(owed, 1);
      wake();
    },
    async stop() {
      ended = true;
      pause.end();
      await loop;
    },
  };
}

function openPause() {
  let end = () => {};
  return {
    of: (milliseconds: number) =>
      new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, milliseconds);
        end = () => {
          clearTimeout(timer);
          resolve();
        };
      }),
    end: () => end(),
  };
}

/**
 * Senders whose very next transaction is filed as "waits for an earlier one". The pool looks up the sender's nonce
 * before it files a transaction. If the earlier one is mined in between, nothing ever releases the later one.
 */
async function findStuck(rpc: Rpc): Promise<string> {
  const { queued } = await rpc.call<Pool>('txpool_content', []);
  const stuck: string[] = [];
  for (const [sender, transactions] of Object.entries(queued)) {
    const next = Number(await rpc.call<string>('eth_getTransactionCount', [sender, 'latest']));
    const hash = transactions[next]?.hash;
    if (hash) stuck.push(hash);
  }
  return stuck.join();
}

/**
 * Empties the pool and sends the same bytes again in nonce order, because the node has no call that drops a single
 * queued transaction.
 */
async function requeue(rpc: Rpc): Promise<void> {
  const { pending, queued } = await rpc.call<Pool>('txpool_content', []);
  const hashes = [...Object.values(pending), ...Object.values(queued)].flatMap((transactions) =>
    Object.entries(transactions)
      .sort(([a], [b]) => Number(a) - Number(b))
      .map(([, { hash }]) => hash),
  );
  const raw = await rpc.batch(hashes.map((hash) => ({ method: 'eth_getRawTransactionByHash', params: [hash] })));
  const bytes = raw.flatMap((reply) => (reply.kind === 'result' && reply.result ? [reply.result] : []));
  if (bytes.length < hashes.length) return;
  await rpc.call('anvil_dropAllTransactions', []);
  // One HTTP request may not exceed the node's 2 MB.
  for (let i = 0; i < bytes.length; i += 200) {
    await rpc.batch(bytes.slice(i, i + 200).map((one) => ({ method: 'eth_sendRawTransaction', params: [one] })));
  }
}
