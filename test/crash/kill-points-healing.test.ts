import { test } from 'node:test';
import { killPoints } from '../support/crash-points.ts';
import type { KillPoint, ServiceProcess } from '../support/crash-service.ts';
import { openStage, type Stage } from '../support/crash-stage.ts';
import { until } from '../support/until.ts';

const MOMENTS = ['before', 'after'] as const;
const TAKE_BACK = 'DELETE FROM blocks WHERE number >';
const CLOSE_NONCES = `SET status = 'replaced'\\s+WHERE relayer`;
const STORE_ANEW = 'UPDATE transfers SET tx_hash = \\$2';
const commit = (when: KillPoint['when'], match: string): KillPoint => ({ at: 'commit', when, match });

async function payments(stage: Stage, service: ServiceProcess, count: number): Promise<void> {
  await Promise.all(Array.from({ length: count }, () => stage.client.one(service.origin, 'pay')));
}

/** Lets the test go on as soon as the service is dead. */
async function untilDead(service: ServiceProcess): Promise<void> {
  await service.exited;
}

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
  const points = killPoints<[point: KillPoint, meanwhile?: () => Promise<void>]>(
    {
      'before the COMMIT that takes the orphaned blocks back': [commit('before', TAKE_BACK)],
      'after it, and the chain is reorganised once more while nothing runs': [commit('after', TAKE_BACK), again],
    },
    {
      // As before COMMIT.
      'half-way, after the postings are taken out': [
        { at: 'statement in a transaction', when: 'after', match: 'DELETE FROM postings' },
      ],
      // As with one more reorganisation, and easier.
      'after the COMMIT that takes the orphaned blocks back': [commit('after', TAKE_BACK)],
    },
  );
  for (const [name, [point, meanwhile]] of Object.entries(points)) {
    await t.test(name, () => stage.diesAndHeals(point, { provoke: reorganise, ...(meanwhile && { meanwhile }) }));
  }
});

test('kill -9 while transfers get a new transaction: each is paid exactly once', async (t) => {
  const stage = await openStage(t, { rewritten: true });
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
  const points = killPoints<KillPoint>(
    {
      'before the COMMIT that closes consumed nonces': commit('before', CLOSE_NONCES),
      'after the COMMIT that closes consumed nonces': commit('after', CLOSE_NONCES),
      'after the COMMIT that stores the new transactions': commit('after', STORE_ANEW),
    },
    // The nonces are closed, and nothing else is done.
    { 'before the COMMIT that stores the new transactions': commit('before', STORE_ANEW) },
  );
  for (const [name, point] of Object.entries(points)) {
    await t.test(`nonces were used elsewhere, ${name}`, () =>
      stage.diesAndHeals(point, { provoke: stealNonces, hashesMayChange: true }),
    );
  }
});

test('kill -9 while stuck transactions are replaced: each is paid exactly once', async (t) => {
  const stage = await openStage(t, { rewritten: true, env: { REPLACE_AFTER_BLOCKS: '2' } });
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
