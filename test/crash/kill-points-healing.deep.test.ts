import { test } from 'node:test';
import { commit } from '../support/crash-points.ts';
import type { ServiceProcess } from '../support/crash-service.ts';
import { openStage } from '../support/crash-stage.ts';
import { until } from '../support/until.ts';
import { payments, untilDead } from './payments.ts';

const CLOSE_NONCES = `SET status = 'replaced' FROM locked`;
const STORE_ANEW = 'UPDATE transfers SET tx_hash = \\$2';

test('kill -9 while transfers get a new transaction: each is paid exactly once', async (t) => {
  const stage = await openStage(t, { rewritten: true });
  const { world } = stage;

  /** The relayer's key is used elsewhere: payments of no ether take the nonces of the next transfers. */
  const stealNonces = async (service: ServiceProcess) => {
    const { db } = await world.operator();
    const [relayer] = await db.query<{ address: string }>(`SELECT address FROM relayers WHERE purpose = 'settlement'`);
    const from = relayer!.address;
    await world.evm.rpc('anvil_impersonateAccount', [from]);
    for (let i = 0; i < 3; i++) await world.evm.rpc('eth_sendTransaction', [{ from, to: from, value: '0x0' }]);
    await until('the nonces are in the chain', async () => {
      const status = (await world.evm.rpc('txpool_status')) as { pending: string };
      return Number(status.pending) === 0;
    });
    await payments(stage, service, 6);
    await untilDead(service);
  };
  const points = {
    'before the COMMIT that closes used nonces': commit('before', CLOSE_NONCES),
    'after the COMMIT that closes used nonces': commit('after', CLOSE_NONCES),
    'before the COMMIT that stores the new transactions': commit('before', STORE_ANEW),
    'after the COMMIT that stores the new transactions': commit('after', STORE_ANEW),
  };
  for (const [name, point] of Object.entries(points)) {
    await t.test(`nonces were used elsewhere, ${name}`, () =>
      stage.diesAndHeals(point, { provoke: stealNonces, hashesMayChange: true }),
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
    await until('all are sent', async () => {
      const { db } = await world.operator();
      return (await db.query(`SELECT FROM transactions WHERE status = 'signed' LIMIT 1`)).length === 0;
    });
    await world.evm.rpc('anvil_dropAllTransactions');
    // Blocks continue without them until the service notices.
    const blocks = setInterval(() => void world.evm.rpc('anvil_mine', ['0x1']).catch(() => {}), 100);
    await untilDead(service).finally(() => clearInterval(blocks));
  };
  for (const when of ['before', 'after'] as const) {
    await t.test(`${when} the COMMIT that stores a replacement`, () =>
      stage.diesAndHeals(commit(when, `'signed' FROM transactions`), {
        provoke: forget,
        meanwhile: () => world.mine(true),
        hashesMayChange: true,
      }),
    );
  }
});
