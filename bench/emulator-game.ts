import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import type { Emulator } from '../sdk/emulator/src/index.ts';
import { QuartersServer } from '../sdk/src/index.ts';

/** A game's server with a player, as its tests have them. */
export type BenchGame = {
  /** A test of one payment: asked for, approved, and read once `settled` says that it is there. Returns what it took, in milliseconds. */
  pay(settled: () => Promise<unknown>): Promise<number>;
  /** What a payment takes if nobody controls the emulator: the app pays, and `isCompleted` is asked until it is true. */
  payAlone(isCompleted?: (requestId: string) => boolean | Promise<boolean>): Promise<number>;
};

const QUARTERS = 1_000;
const LOOK_EVERY_MS = 2;
const COMPLETED_WITHIN_MS = 30_000;

/** Makes an app of its own. `webhook`: where its events go. */
export async function newBenchGame(emulator: Emulator, webhook?: string): Promise<BenchGame> {
  const app = await emulator.apps.create(webhook === undefined ? {} : { webhook });
  const player = await emulator.players.create({ app, quarters: QUARTERS });
  const { id: appId, address: appAddress, serverKey } = app;
  const server = new QuartersServer({ url: emulator.url, serverKey, appAddress, appId });
  const isRead = async (id: string) => (await server.request(id)).status === 'completed';
  return {
    async pay(settled) {
      const began = performance.now();
      const { id } = await server.ask({ userId: player.id, tokens: 1 });
      await player.approve(id);
      await settled();
      if (!(await isRead(id))) throw new Error(`The payment ${id} is not completed.`);
      return performance.now() - began;
    },
    async payAlone(isCompleted = isRead) {
      const began = performance.now();
      const { requestId } = await server.pay({ user: player.id, amount: 1 });
      while (!(await isCompleted(requestId))) {
        if (performance.now() - began > COMPLETED_WITHIN_MS) throw new Error(`The payment ${requestId} stays open.`);
        await delay(LOOK_EVERY_MS);
      }
      return performance.now() - began;
    },
  };
}
