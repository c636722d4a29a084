import type { BlockMode } from './blocks.ts';
import { setDatabaseTime } from './database-time.ts';
import type { KeptMemory } from './kept-memory.ts';
import { AT_THE_START, bringBackRows, dropKeptRows, keepRows } from './kept-rows.ts';
import type { TimeState } from './moved-time.ts';
import { Refused } from './refused.ts';
import type { Randomness } from './seeded.ts';
import type { World } from './world.ts';

/** States that the emulator can go back to, by name. */
export type Snapshots = {
  names(): string[];
  /** Throws if there is none of this name; without a name, it is that after the start. */
  check(name?: string): void;
  /** Keeps the state, once every payment is settled. A name that is in use gets this state. */
  take(name: string): Promise<void>;
  /** Goes back to a state; without a name, to that after the start. States that were taken after it are gone. Throws if there is none. */
  goBackTo(name?: string): Promise<void>;
};

type Kept = {
  node: string;
  readonly block: number;
  readonly memory: KeptMemory;
  readonly time: TimeState;
  readonly mode: BlockMode;
  readonly baseFee: bigint | null;
  /** What gas costs in the next block. The node does not go back to it by itself. */
  readonly nextFee: string;
  readonly made: ReturnType<Randomness['made']>;
};

const MOST = 20;

export async function openSnapshots(world: World): Promise<Snapshots> {
  const { service, rpc, blocks, time, gate, randomness } = world;
  const kept = new Map<string, Kept>();
  const noteNewest = () => {
    world.newestKept.block = Math.max(0, ...[...kept.values()].map(({ block }) => block));
  };
  const find = (name = AT_THE_START): Kept => {
    const there = kept.get(name);
    if (!there) throw new Refused(`There is no snapshot "${name}".`);
    return there;
  };
  const drop = async (name: string) => {
    kept.delete(name);
    await dropKeptRows(service.db, name);
  };
  const take = async (name: string) => {
    if (!kept.has(name) && kept.size >= MOST) throw new Refused(`There are ${MOST} snapshots already.`);
    await world.settled();
    await world.whileStopped(async () => {
      kept.delete(name);
      const memory = world.memory();
      await keepRows(service.db, name);
      const node = await rpc.call<string>('evm_snapshot', []);
      const block = Number(await rpc.call<string>('eth_blockNumber', []));
      const { baseFeePerGas } = await rpc.call<{ baseFeePerGas: string[] }>('eth_feeHistory', ['0x1', 'latest', []]);
      const nextFee = baseFeePerGas.at(-1)!;
      kept.set(name, {
        node,
        block,
        nextFee,
        memory,
        time: time.state(),
        mode: blocks.mode(),
        baseFee: blocks.baseFee(),
        made: randomness.made(),
      });
      noteNewest();
      return memory;
    });
  };
  const goBackTo = async (name = AT_THE_START) => {
    const there = find(name);
    // No snapshot has the chain away.
    gate.isOpen = true;
    const later = [...kept.keys()].slice([...kept.keys()].indexOf(name) + 1);
    await world.whileStopped(async () => {
      await rpc.call('anvil_dropAllTransactions', []);
      blocks.setBaseFee(there.baseFee);
      const back = async () => {
        await rpc.call('evm_revert', [there.node]);
        await rpc.call('anvil_setNextBlockBaseFeePerGas', [there.nextFee]);
        // The node keeps no state that it went back to.
        there.node = await rpc.call<string>('evm_snapshot', []);
      };
      await Promise.all([back(), bringBackRows(service.db, name)]);
      time.goOnFrom(there.time);
      await setDatabaseTime(service.db, there.time);
      randomness.goOnFrom(there.made);
      return there.memory;
    });
    for (const gone of later) await drop(gone);
    noteNewest();
    await blocks.setMode(there.mode);
  };
  await take(AT_THE_START);
  return { names: () => [...kept.keys()], check: (name) => void find(name), take, goBackTo };
}
