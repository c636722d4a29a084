import { test } from 'node:test';
import type { KillPoint, ServiceProcess } from '../support/crash-service.ts';
import { openStage, type Stage } from '../support/crash-stage.ts';
import { until } from '../support/until.ts';

const MOMENTS = ['before', 'after'] as const;
const commit = (when: KillPoint['when'], match: string): KillPoint => ({ at: 'commit', when, match });

async function payments(stage: Stage, service: ServiceProcess, count: number): Promise<void> {
  await Promise.all(Array.from({ length: count }, () => stage.client.one(service.origin, 'pay')));
}

/** Lets the test go on as soon as the service is dead. */
async function untilDead(service: ServiceProcess): Promise<void> {
  await service.exited;
}

test('kill -9 while a reorganisation is healed: every accepted transfer is paid exactly once', async (t) => {
  const stage = await openStage(t);
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
  for (const when of MOMENTS) {
    await t.test(`${when} the COMMIT that takes the orphaned blocks back`, () =>
      stage.diesAndHeals(commit(when, 'DELETE FROM blocks WHERE number >'), { provoke: reorganise }),
    );
  }
  await t.test('half-way, after the postings are taken out', () =>
    stage.diesAndHeals(
      { at: 'statement in a transaction', when: 'after', match: 'DELETE FROM postings' },
      { provoke: reorganise },
    ),
  );
  await t.test('and the chain is reorganised once more while nothing runs', () =>
    stage.diesAndHeals(commit('after', 'DELETE FROM blocks WHERE number >'), {
      provoke: reorganise,
      meanwhile: async () => {
        await world.mine(false);
        await world.evm.rpc('anvil_reorg', [2, []]);
        await world.mine(true);
      },
    }),
  );
});

test('kill -9 while transfers get a new transaction: each is paid exactly once', async (t) => {
  const stage = await openStage(t);
  const { world } = stage;

  /** The relayer's key is used elsewhere: the nonces of the next transfers go to payments of no ether. */
  const stealNonces = async (service: ServiceProcess) => {
    const { db } = await world.operator();
    const [relayer] = await db.query<{ address: string }>(`SELECT address FROM relayers WHERE purpose = 'settlement'`);
    const from = relayer!.address;
    await world.evm.rpc('anvil_impersonateAccount', [from]);
    for (let i = 0; i < 3; i++) await world.evm.rpc('eth_sendTransaction', [{ from, to: from, value: '0x0' }]);
    await until('the nonces are taken', async () => (await world.evm.rpc('txpool_status')) !== null);
    await until('the nonces are in the chain', async () => {
      const status = (await world.evm.rpc('txpool_status')) as { pending: string };
      return Number(status.pending) === 0;
    });
    await payments(stage, service, 6);
    await untilDead(service);
  };
  const points: Record<string, string> = {
    'that closes consumed nonces': `SET status = 'replaced'\\s+WHERE relayer`,
    'that stores the new transactions': 'UPDATE transfers SET tx_hash = \\$2',
  };
  for (const [name, match] of Object.entries(points)) {
    for (const when of MOMENTS) {
      await t.test(`nonces were used elsewhere, ${when} the COMMIT ${name}`, () =>
        stage.diesAndHeals(commit(when, match), { provoke: stealNonces, hashesMayChange: true }),
      );
    }
  }
});

test('kill -9 while stuck transactions are replaced: each is paid exactly once', async (t) => {
  const stage = await openStage(t, { env: { REPLACE_AFTER_BLOCKS: '2' } });
  const { world } = stage;

  /** The node loses transactions, and blocks go on without them. */
  const forget = async (service: ServiceProcess) => {
    await world.mine(false);
    await payments(stage, service, 6);
    await until('all are sent', async () => {
      const { db } = await world.operator();
      return (await db.query(`SELECT FROM transactions WHERE status = 'signed' LIMIT 1`)).length === 0;
    });
    await world.evm.rpc('anvil_dropAllTransactions');
    // Blocks go on without them, until that is noticed.
    const blocks = setInterval(() => void world.evm.rpc('anvil_mine', ['0x1']).catch(() => {}), 100);
    await untilDead(service).finally(() => clearInterval(blocks));
  };
  for (const when of MOMENTS) {
    await t.test(`${when} a COMMIT`, () =>
      stage.diesAndHeals(commit(when, `'signed' FROM transactions`), {
        provoke: forget,
        meanwhile: () => world.mine(true),
        hashesMayChange: true,
      }),
    );
  }
});
