import { test } from 'node:test';
import { commit, crashCases, inTransaction } from '../support/crash-points.ts';
import type { KillPoint, ServiceProcess } from '../support/crash-service.ts';
import { openStage } from '../support/crash-stage.ts';
import { payments, untilDead } from './payments.ts';

const TAKE_BACK = 'DELETE FROM blocks WHERE number >';

test('kill -9 while a reorganisation is healed: every accepted transfer is paid exactly once', async (t) => {
  const stage = await openStage(t, { rewritten: true });
  const { world } = stage;
  const reorganise = async (service: ServiceProcess) => {
    for (let i = 0; i < 4; i++) {
      await payments(stage, service, 5);
      await world.settled();
    }
    await world.mine(false);
    await world.evm.rpc('anvil_reorg', [3, []]);
    await world.mine(true);
    await untilDead(service);
  };
  const again = async () => {
    await world.mine(false);
    await world.evm.rpc('anvil_reorg', [2, []]);
    await world.mine(true);
  };
  const points = crashCases<[point: KillPoint, meanwhile?: () => Promise<void>]>(
    {
      'after the COMMIT that takes the orphaned blocks back, and the chain is reorganised once more while nothing runs':
        [commit('after', TAKE_BACK), again],
    },
    {
      'before the COMMIT that takes the orphaned blocks back': [commit('before', TAKE_BACK)],
      // As before COMMIT.
      'half-way, after the postings are taken out': [inTransaction('after', 'DELETE FROM postings')],
      // As with one more reorganisation, and easier.
      'after the COMMIT that takes the orphaned blocks back': [commit('after', TAKE_BACK)],
    },
  );
  for (const [name, [point, meanwhile]] of Object.entries(points)) {
    await t.test(name, () => stage.diesAndHeals(point, { provoke: reorganise, ...(meanwhile && { meanwhile }) }));
  }
});
