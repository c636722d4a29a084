import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { perTier } from '../kit/run/tier.ts';
import { oneInTurn } from '../kit/run/turns.ts';
import { startEvm } from '../kit/service/evm.ts';
import { type Scenario, startScenario } from '../kit/service/scenario.ts';
import { startFaultProxy } from '../kit/unit/fault-proxy.ts';
import { LOG_LIES, lieAbout, type ShownLog } from '../kit/unit/node-lies.ts';
import { until } from '../kit/unit/until.ts';

const PAYMENTS = perTier({ usual: 20, all: 2_000 });

async function payAll(s: Scenario): Promise<void> {
  const pay = (i: number) => s.pay(i % s.guests.length, 1 + (i % 9));
  for (let i = 0; i < PAYMENTS; i += 20)
    await s.completed(...(await Promise.all(Array.from({ length: 20 }, (_, k) => pay(i + k)))));
}

/** Each transfer was sent once: nothing was replaced, and nothing paid a second time. */
async function nothingWasSentForNothing({ service }: Scenario): Promise<void> {
  const sent = await service.db.query(
    'SELECT FROM transactions WHERE attempt > 0 UNION ALL SELECT FROM further_transactions',
  );
  assert.equal(sent.length, 0, 'transactions that were sent for nothing');
}

const isReady = async ({ app }: Scenario) => (await app.inject('/readyz')).json<{ chain: string }>().chain;

describe('a lying node', { concurrency: 2 }, () => {
  const kinds = Object.entries(LOG_LIES);
  // The usual tier tries each kind where nobody else could say what is true.
  for (const [kind, change] of kinds.slice(0, perTier({ usual: 1, all: kinds.length }))) {
    for (const proof of oneInTurn(['receipts', 'agreement'] as const, 'proofs against a liar')) {
      test(`one endpoint of three that ${kind} logs is found out, and not used (${proof})`, async (t) => {
        const node = await startEvm({ args: ['--no-mining'] });
        const [liar, second, third] = [
          await startFaultProxy(t, node.url),
          await startFaultProxy(t, node.url),
          await startFaultProxy(t, node.url),
        ];
        liar.lie(lieAbout(change));
        const s = await startScenario(t, {
          rpcUrls: [liar.url, second.url, third.url],
          node,
          env: { CHAIN_PROOF: proof },
        });
        await payAll(s);
        // The same log twice is no contradiction where logs alone are compared: it counts once.
        const isHarmless = kind === 'doubles' && proof === 'agreement';
        assert.equal(s.service.rpc.endpoints!.all[0]!.state, isHarmless ? 'ok' : 'contradicting');
        await nothingWasSentForNothing(s);
        await s.prove();
      });
    }

    test(`the only endpoint, which ${kind} logs, does not say what is expected`, async (t) => {
      const s = await startScenario(t, { env: { CHAIN_PROOF: 'agreement', TRANSFERS_PER_TRANSACTION: '4' } });
      s.faulty.proxy.lie((method, result, random) =>
        random() < 0.5 ? lieAbout(change)(method, result, random) : result,
      );
      await payAll(s);
      s.faulty.proxy.lie(null);
      await nothingWasSentForNothing(s);
      await s.prove();
    });
  }

  for (const [kind, change] of kinds) {
    test(`the only endpoint, which ${kind} logs, is waited for in red, and nothing is believed`, async (t) => {
      const s = await startScenario(t, { env: { CHAIN_PROOF: 'receipts' } });
      s.faulty.proxy.lie(lieAbout(change));
      const paid = await Promise.all(Array.from({ length: 20 }, (_, i) => s.pay(i % 3, 1 + i)));
      await until('it is found out', async () => (await isReady(s)) === 'unproven');
      for (const { transferId } of paid) {
        const [{ status } = {}] = await s.service.db.query<{ status: string }>(
          'SELECT status FROM transfers WHERE id = $1',
          [transferId],
        );
        assert.notEqual(status, 'completed');
      }
      // It lies now and then.
      s.faulty.proxy.lie((method, result, random) =>
        random() < 0.2 ? lieAbout(change)(method, result, random) : result,
      );
      await payAll(s);
      s.faulty.proxy.lie(null);
      await s.completed(...paid);
      await nothingWasSentForNothing(s);
      await s.prove();
      assert.equal(await isReady(s), 'ok');
    });
  }

  test('a transfer that the chain has settled unseen is not sent again and again', async (t) => {
    const s = await startScenario(t, { env: { CHAIN_PROOF: 'node' } });
    // Both logs of each payment of two quarters are withheld.
    const isWithheld = ({ data }: ShownLog | undefined = { topics: [], data: '0x0', logIndex: '0x0' }) =>
      BigInt(data) === 2n;
    s.faulty.proxy.lie((method, result) =>
      method === 'eth_getLogs'
        ? (result as ShownLog[]).filter((log, i, logs) => !isWithheld(log.data === '0x' ? logs[i + 1] : log))
        : result,
    );
    // In one block: a node that has no log of a block contradicts its bloom.
    await s.faulty.stopMining();
    const unseen = await s.pay(0, 2);
    const seen = await s.pay(1, 3);
    await until('both wait', async () => (await s.faulty.waiting()).length === 2);
    s.faulty.startMining();
    await s.completed(seen);
    await until('the chain was asked', () =>
      s.logged.some(({ message }) => /the chain has settled transfers/.test(message)),
    );
    await s.completed(await s.pay(1, 4));
    assert.equal((await s.attemptsOf(unseen)).length, 1);
    await nothingWasSentForNothing(s);
  });
});
