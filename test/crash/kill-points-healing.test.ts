import { test } from 'node:test';
import { notInTurn } from '../kit/run/turns.ts';
import { commit, crashCases, inTransaction } from '../kit/service/crash-points.ts';
import type { KillPoint, ServiceProcess } from '../kit/service/crash-service.ts';
import { openStage } from '../kit/service/crash-stage.ts';
import { payments, untilDead } from './payments.ts';

const TAKE_BACK = 'DELETE FROM blocks WHERE number >';

test('kill -9 while a reorganisation is healed: every accepted transfer is paid exactly once', {
  skip: notInTurn(4, 'kills while healing'),
}, async (t) => {
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
      'after the COMMIT that removes the orphaned blocks, and another reorganisation': [
        commit('after', TAKE_BACK),
        again,
      ],
    },
    {
      'before the COMMIT that removes the orphaned blocks': [commit('before', TAKE_BACK)],
      // The same state as before COMMIT.
      'half-way, after the postings are removed': [inTransaction('after', 'DELETE FROM postings')],
      // The same as with another reorganisation, but easier.
      'after the COMMIT that removes the orphaned blocks': [commit('after', TAKE_BACK)],
    },
  );
  for (const [name, [point, meanwhile]] of Object.entries(points)) {
    await t.test(name, () => stage.diesAndHeals(point, { provoke: reorganise, ...(meanwhile && { meanwhile }) }));
  }
});
