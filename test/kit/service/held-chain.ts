import type { TestContext } from 'node:test';
import { startMining } from '../../../local/anvil/mining.ts';
import { connectRpc } from '../../../src/chain/rpc.ts';
import { atEnd } from '../unit/at-end.ts';
import { type Evm, startEvm } from './evm.ts';

/** A chain for `startTestService` whose blocks the test holds back. */
export type HeldChain = {
  readonly evm: Evm;
  readonly rpcUrls: readonly string[];
  /** Stops mining from now on. */
  hold(): Promise<void>;
  release(): void;
};

export async function startHeldChain(t: TestContext): Promise<HeldChain> {
  const evm = await startEvm({ args: ['--no-mining'] });
  atEnd(t, () => evm.stop());
  const mine = () => startMining(connectRpc([evm.url]), 10);
  let mining: ReturnType<typeof mine> | null = mine();
  const hold = async () => {
    await mining?.stop();
    mining = null;
  };
  atEnd(t, hold);
  return {
    evm,
    rpcUrls: [evm.url],
    hold,
    release() {
      mining ??= mine();
    },
  };
}
