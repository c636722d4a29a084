import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { TransferId } from '../../src/base/ids.ts';
import { Problem } from '../../src/base/problems.ts';
import { listRelayers } from '../../src/chain/relayers.ts';
import { seedOf } from '../kit/run/seed.ts';
import { perTier } from '../kit/run/tier.ts';
import { asAdmin, PAUSE, UNPAUSE } from '../kit/service/admin.ts';
import { rewrite } from '../kit/service/chain-rewrite.ts';
import { cancelTransfer } from '../kit/service/operator-acts.ts';
import { type Accepted, type Scenario, startScenario } from '../kit/service/scenario.ts';
import { randomNumbers } from '../kit/unit/fault-proxy.ts';

const ROUNDS = perTier({ usual: 12, all: 24 }, 'CHAOS_ROUNDS');
/** A fault lasts for a while, so that the service meets it; nothing depends on whether it does. */
const LASTS_MS = 300;
const STRANGER = '0x5555555555555555555555555555555555555555';

/**
 * Faults that a round chooses from; each leaves mining switched on. `pick` returns a whole number below its argument.
 */
function catastrophes(
  s: Scenario,
  pick: (below: number) => number,
  cancelled: TransferId[],
): Record<string, () => Promise<void>> {
  const { faulty } = s;
  const states: Buffer[] = [];
  const blocks = async () => Number(await faulty.evm.rpc('eth_blockNumber'));
  return {
    async nothing() {},
    async reorganise() {
      await faulty.stopMining();
      // The first blocks hold the contracts and the game's quarters, which existed before the watch began.
      const depth = Math.min(1 + pick(6), (await blocks()) - 6);
      if (depth < 1) return;
      const other = rewrite(await faulty.newestTransactions(depth), () => pick(2 ** 20) / 2 ** 20);
      await faulty.reorganise(depth, other);
    },
    async forgetThePool() {
      await faulty.evm.rpc('anvil_dropAllTransactions');
    },
    async dump() {
      states.push(await faulty.evm.dump());
    },
    async restart() {
      const state = states.at(-1 - pick(Math.min(2, states.length || 1)));
      if (state) await faulty.restartFrom(state);
    },
    async pause() {
      await asAdmin(s, PAUSE, { wait: false });
    },
    async unpause() {
      await asAdmin(s, UNPAUSE, { wait: false });
    },
    async jumpTheQueue() {
      await faulty.stopMining();
      const waiting = await faulty.waiting();
      const victim = waiting[pick(waiting.length || 1)];
      if (victim) await faulty.sendAs(STRANGER, { to: victim.to, data: victim.input, gas: 1_000_000n });
      await faulty.mine();
    },
    async useARelayer() {
      const relayers = await listRelayers(s.service.db);
      await faulty.sendAs(relayers[pick(relayers.length)]!.address, { to: STRANGER });
    },
    async cancel() {
      // One of the game's own transfers, never completed. If it had been paid onwards, or its quarters were spent again
      // and a reorganisation then paid it after all, somebody would rightly stay uncovered.
      const open = await s.service.db.query<{ id: TransferId }>(
        `SELECT id FROM transfers
          WHERE status IN ('approved', 'submitted') AND from_address = $1
            AND NOT EXISTS (SELECT FROM requests WHERE requests.id = request_id AND 'complete chain' = ANY(transitions))
          ORDER BY id`,
        [s.game.address.toLowerCase()],
      );
      const victim = open[pick(open.length || 1)]?.id;
      if (!victim) return;
      cancelled.push(victim);
      await cancelTransfer(s.service, victim);
    },
    async raiseTheBaseFee() {
      await faulty.stopMining();
      for (let i = 0; i < 5; i++) {
        await faulty.evm.rpc('anvil_setNextBlockBaseFeePerGas', ['0x5d21dba000']);
        await faulty.mine();
      }
      await faulty.evm.rpc('anvil_setNextBlockBaseFeePerGas', ['0x3b9aca00']);
      await faulty.mine();
    },
    async spendTheEther() {
      const [relayer] = await listRelayers(s.service.db);
      await faulty.evm.rpc('anvil_setBalance', [relayer!.address, '0x0']);
      await pause(LASTS_MS);
      await faulty.evm.rpc('anvil_setBalance', [relayer!.address, '0x3635c9adc5dea00000']);
    },
    async goAway() {
      faulty.proxy.reachable = false;
      await pause(LASTS_MS);
      faulty.proxy.reachable = true;
    },
    async stopMining() {
      await faulty.stopMining();
      await pause(LASTS_MS);
    },
  };
}

describe('everything at once', { concurrency: 2 }, () => {
  const machines: [string, Record<string, string>][] = [
    ['one transfer per transaction, completed in the newest block', { RELAYERS: '3' }],
    [
      'bundled transfers, completed two blocks deep',
      {
        RELAYERS: '2',
        TRANSFERS_PER_TRANSACTION: '4',
        COMPLETE_AFTER: '2',
        IN_FLIGHT_WINDOW: '8',
        REPLACE_AFTER_BLOCKS: '3',
      },
    ],
  ];
  for (const [name, env] of machines) {
    test(`every transfer is paid once through random faults of node, network and token: ${name}`, async (t) => {
      const seed = seedOf('faults');
      t.diagnostic(`FAULT_SEED=${seed}`);
      const random = randomNumbers(seed);
      const pick = (below: number) => Math.floor(random() * below);
      const s = await startScenario(t, { env, seed, guests: 5, emptyBlocks: env.COMPLETE_AFTER !== undefined });
      await s.calm();
      for (const fault of ['lose-reply', 'lose-call', 'item-errors'] as const)
        s.faulty.proxy.inject({ fault, rate: 0.01 });
      const cancelled: TransferId[] = [];
      const events = Object.entries(catastrophes(s, pick, cancelled));
      const happened: string[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        const decided: Promise<Accepted | null>[] = [];
        for (let i = 0; i < 6; i++) {
          decided.push(refusedOr(s.pay(pick(5), 1 + pick(50))), refusedOr(s.spend(pick(5), 1 + pick(80))));
        }
        const [event, happen] = events[pick(events.length)]!;
        happened.push(event);
        await happen().catch((error: Error) => happened.push(`(${error.message})`));
        s.faulty.startMining();
        await Promise.all(decided);
        await pause(pick(400));
      }
      t.diagnostic(happened.join(' '));
      // A reverted block may have been made while a relayer had no ether, which the chain then shows again.
      for (const { address } of await listRelayers(s.service.db)) {
        await s.faulty.evm.rpc('anvil_setBalance', [address, '0x3635c9adc5dea00000']);
      }
      await asAdmin(s, UNPAUSE).catch(() => {});
      await s.prove({ cancelled });
    });
  }
});

const CODES: ReadonlySet<string> = new Set(['insufficient-quarters', 'quarters-unconfirmed']);

/** A guest may not have enough at the moment. Then nothing may have happened. */
async function refusedOr(decision: Promise<Accepted>): Promise<Accepted | null> {
  try {
    return await decision;
  } catch (error) {
    assert.ok(error instanceof Problem && CODES.has(error.code), String(error));
    return null;
  }
}
