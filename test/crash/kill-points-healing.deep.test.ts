import { test } from 'node:test';
import { commit } from '../kit/service/crash-points.ts';
import type { KillPoint, ServiceProcess } from '../kit/service/crash-service.ts';
import { openStage, type Provocation } from '../kit/service/crash-stage.ts';
import { unsent } from '../kit/unit/signed.ts';
import { until } from '../kit/unit/until.ts';
import { payments, untilDead } from './payments.ts';

const CLOSE_NONCES = 'INSERT INTO consumed_nonces .* VALUES';
const STORE_ANEW = 'UPDATE ONLY transfers SET relayer = carried';

test('kill -9 while transfers get a new transaction: each is paid exactly once', async (t) => {
  const stage = await openStage(t, { rewritten: true });
  const { world } = stage;

  /** The relayer's key is used elsewhere: payments of no ether take its next nonces. */
  const useKeyElsewhere = async () => {
    const { db } = await world.operator();
    const [relayer] = await db.query<{ address: string }>(`SELECT address FROM relayers WHERE purpose = 'settlement'`);
    const from = relayer!.address;
    await world.evm.rpc('anvil_impersonateAccount', [from]);
    for (let i = 0; i < 3; i++) await world.evm.rpc('eth_sendTransaction', [{ from, to: from, value: '0x0' }]);
  };
  /** The nonces of transfers that the node has in its pool, and forgets. */
  const stealNonces = async (service: ServiceProcess) => {
    await world.mine(false);
    await payments(stage, service, 3);
    const { db } = await world.operator();
    await until('all are sent', async () => (await unsent(db)).length === 0);
    await world.evm.rpc('anvil_dropAllTransactions');
    await useKeyElsewhere();
    await world.mine(true);
    await untilDead(service);
  };
  /** The nonces of the next transfers. */
  const stealNextNonces = async (service: ServiceProcess) => {
    await useKeyElsewhere();
    await until('the nonces are in the chain', async () => {
      const status = (await world.evm.rpc('txpool_status')) as { pending: string };
      return Number(status.pending) === 0;
    });
    await payments(stage, service, 6);
    await untilDead(service);
  };
  const points: Record<string, [point: KillPoint, provoke: Provocation['provoke']]> = {
    'before the COMMIT that closes used nonces': [commit('before', CLOSE_NONCES), stealNonces],
    'after the COMMIT that closes used nonces': [commit('after', CLOSE_NONCES), stealNonces],
    'before the COMMIT that stores the new transactions': [commit('before', STORE_ANEW), stealNextNonces],
    'after the COMMIT that stores the new transactions': [commit('after', STORE_ANEW), stealNextNonces],
  };
  for (const [name, [point, provoke]] of Object.entries(points)) {
    await t.test(`nonces were used elsewhere, ${name}`, () =>
      stage.diesAndHeals(point, { provoke: provoke!, hashesMayChange: true }),
    );
  }
});

test('kill -9 while stuck transactions are replaced: each is paid exactly once', async (t) => {
  const stage = await openStage(t, { rewritten: true, env: { REPLACE_AFTER_BLOCKS: '2' } });
  const { world } = stage;

  /** The node loses transactions, and blocks continue without them. */
  const forget = async (service: ServiceProcess) => {
    await world.mine(false);
    await payments(stage, service, 6);
    const { db } = await world.operator();
    await until('all are sent', async () => (await unsent(db)).length === 0);
    await world.evm.rpc('anvil_dropAllTransactions');
    // Blocks continue without them until the service notices.
    const blocks = setInterval(() => void world.evm.rpc('anvil_mine', ['0x1']).catch(() => {}), 100);
    await untilDead(service).finally(() => clearInterval(blocks));
  };
  for (const when of ['before', 'after'] as const) {
    await t.test(`${when} the COMMIT that stores a replacement`, () =>
      stage.diesAndHeals(commit(when, 'SELECT relayer, nonce, attempt \\+ 1'), {
        provoke: forget,
        meanwhile: () => world.mine(true),
        hashesMayChange: true,
      }),
    );
  }
});
