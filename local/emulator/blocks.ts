import { type Rpc, toQuantity } from '../../src/chain/rpc.ts';
import { type Mining, startMining } from '../anvil/mining.ts';

/** When blocks are made: as soon as a transaction waits, on command only, or one in so many milliseconds. */
export type BlockMode = 'instant' | 'manual' | number;

/** Makes the blocks of the emulator's chain. They have the emulator's time. */
export type Blocks = {
  mode(): BlockMode;
  /** Resolves when the mode before has ended. */
  setMode(mode: BlockMode): Promise<void>;
  /** There are transactions. */
  wake(): void;
  mine(count: number): Promise<void>;
  /** Resolves when the next block is made, or when `sent` has resolved and no transaction waits for an instant block. */
  madeAfter(sent: Promise<void>): Promise<void>;
  /** What goes on around the making of each block. */
  readonly around: ((make: () => Promise<void>) => Promise<void>)[];
  /** What gas costs in the blocks from now on, in wei. Null: as the chain has it. */
  baseFee(): bigint | null;
  setBaseFee(wei: bigint | null): void;
  /** Lets no block be made during `work`. */
  alone<T>(work: () => Promise<T>): Promise<T>;
  stop(): Promise<void>;
};

const LOOK_AGAIN_MS = 2;
const IDLE_MS = 1_000;

/** `rpc`: to the node itself. `now`: in milliseconds. `depth`: at which a transaction counts. */
export function makeBlocks(rpc: Rpc, now: () => number, depth: number): Blocks {
  let mode: BlockMode = 'manual';
  let baseFee: bigint | null = null;
  let mining: Mining | null = null;
  let clock: NodeJS.Timeout | undefined;
  let turn: Promise<unknown> = Promise.resolve();
  const alone = <T>(work: () => Promise<T>): Promise<T> => {
    const done = turn.then(work);
    turn = done.catch(() => {});
    return done;
  };
  let nextMade = Promise.withResolvers<void>();
  const around: Blocks['around'] = [];
  const mineOne = () => around.reduce<() => Promise<void>>((make, one) => () => one(make), makeOne)();
  const makeOne = async () => {
    const { timestamp } = await rpc.call<{ timestamp: string }>('eth_getBlockByNumber', ['latest', false]);
    const at = Math.max(Math.floor(now() / 1000), Number(timestamp) + 1);
    // Each block would move the fee back to where the chain wants it.
    if (baseFee !== null) await rpc.call('anvil_setNextBlockBaseFeePerGas', [toQuantity(baseFee)]);
    await rpc.call('evm_mine', [toQuantity(BigInt(at))]);
  };
  const endWait = () => {
    nextMade.resolve();
    nextMade = Promise.withResolvers();
  };
  const atOurTime: Rpc = {
    ...rpc,
    async call<Result>(method: string, params: readonly unknown[]) {
      if (method !== 'evm_mine') return rpc.call<Result>(method, params);
      await alone(mineOne).finally(endWait);
      return undefined as Result;
    },
  };
  const stop = async () => {
    clearInterval(clock);
    await mining?.stop();
    mining = null;
    endWait();
    await turn;
  };
  return {
    mode: () => mode,
    async setMode(next) {
      await stop();
      mode = next;
      if (next === 'instant') mining = startMining(atOurTime, LOOK_AGAIN_MS, { depth, idleMs: IDLE_MS });
      if (typeof next === 'number') clock = setInterval(() => void alone(mineOne).catch(() => {}), next);
    },
    wake: () => mining?.wake(),
    around,
    async mine(count) {
      for (let made = 0; made < count; made++) await alone(mineOne);
    },
    async madeAfter(sent) {
      const { promise } = nextMade;
      const nothingWaits = async () => {
        await sent;
        const { pending } = await rpc.call<{ pending: string }>('txpool_status', []);
        if (mining && Number(pending) > 0) await promise;
      };
      await Promise.race([promise, nothingWaits()]);
    },
    baseFee: () => baseFee,
    setBaseFee(wei) {
      baseFee = wei;
    },
    alone,
    stop,
  };
}
