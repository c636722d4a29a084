import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asAddress } from '../../src/base/address.ts';
import { readBalances } from '../../src/chain/balances.ts';
import { readHeader } from '../../src/chain/blocks.ts';
import { EVENT_TYPES } from '../../src/webhooks/event-types.ts';
import { assertLedgerIsChain } from '../kit/service/audit.ts';
import { call } from '../kit/service/call.ts';
import { startReceiver } from '../kit/service/receiver.ts';
import { runCommand } from '../kit/service/run-command.ts';
import { startTestService } from '../kit/service/service.ts';
import { addHook, PRIVATE_TARGETS } from '../kit/service/webhooks.ts';
import { until } from '../kit/unit/until.ts';

test('trigger makes what the event names, and its app’s server can read it', async (t) => {
  const s = await startTestService(t, { development: true, env: PRIVATE_TARGETS });
  const app = await s.createApp();
  const receiver = await startReceiver(t);
  const { id: endpoint } = await addHook(s, app.id, receiver.url);
  const trigger = (...args: string[]) => runCommand(s.service, 'trigger', '--app', app.id, ...args);
  const arrived = (id: string) => until(`${id} has arrived`, () => receiver.received.some((one) => one.id === id));

  for (const type of EVENT_TYPES) {
    await t.test(type, async () => {
      const { code, out, err } = await trigger(type, '--json');
      assert.deepEqual([code, err], [0, '']);
      const { id, data, ...made } = JSON.parse(out);
      assert.deepEqual(made, { type, endpoints: [endpoint], sample: false });
      assert.equal(data.test, undefined);
      await arrived(id);
      await s.settled();
      if (type.startsWith('guest.')) {
        assert.ok(data.userId);
        return;
      }
      const read = await call(s.app, `GET /v1/requests/${data.id}`, { token: app.serverKey });
      assert.equal(read.statusCode, 200, read.body);
      const status = type.slice(type.indexOf('.') + 1);
      // What the chain has taken back it has again in the end.
      const final = ['approved', 'reorged'].includes(status) ? 'completed' : status;
      const [request] = [read.json()].flat();
      assert.deepEqual([request.status, request.tokens], [final, 60]);
    });
  }

  await t.test('a payment that fails takes nothing else from its account meanwhile', async () => {
    const { rpc, chain } = s.service;
    const onChain = async () => {
      const { hash } = (await readHeader(rpc, 'latest'))!;
      // A block that was replaced a moment ago is no longer there to be asked.
      const [quarters] = await readBalances(rpc, chain.contracts.token, hash, [asAddress(app.address)]).catch(() => []);
      return quarters ?? null;
    };
    const before = (await onChain())!;
    const seen: (bigint | null)[] = [];
    let done = false;
    const triggered = trigger('transfer.failed').finally(() => {
      done = true;
    });
    while (!done) seen.push(await onChain());
    assert.equal((await triggered).code, 0);
    assert.ok(before > 60n && seen.length > 0, `${before}, ${seen.length}`);
    // Of the payment itself, until it is taken back.
    assert.deepEqual(
      [...new Set(seen)].filter((quarters) => quarters !== null && quarters < before - 60n),
      [],
    );
  });

  await t.test('ledger and chain are equal afterwards', () => assertLedgerIsChain(s.service));

  await t.test('people read what it is about; a sample is sent when it is asked for', async () => {
    const { out, err } = await trigger('request.declined');
    assert.match(err, /^npx quarters listen/);
    assert.match(out, /^Made request\.declined \S+ to 1 endpoint\.\nIt is about the request \S+ of the guest \S+\.\n$/);
    for (const asked of [['--sample'], ['--endpoint', endpoint]]) {
      const sent = await trigger('request.declined', ...asked);
      assert.match(
        sent.out,
        /^Sent a sample of request\.declined, \S+ to 1 endpoint\.\nIt is about a payment that does not exist/,
      );
      assert.doesNotMatch(sent.out, /development mode/);
    }
  });
});
