import assert from 'node:assert/strict';
import { test } from 'node:test';
import { notInTurn } from '../kit/run/turns.ts';
import { openCrashAudit } from '../kit/service/crash-audit.ts';
import { seedGames } from '../kit/service/crash-seeding.ts';
import { openWorld, openWorldFromSnapshot } from '../kit/service/crash-world.ts';
import { createDatabase } from '../kit/service/database.ts';
import { startEvm } from '../kit/service/evm.ts';
import { atEnd } from '../kit/unit/at-end.ts';
import { seededRandom } from '../kit/unit/crash-random.ts';
import { startFaultProxy } from '../kit/unit/fault-proxy.ts';
import { until } from '../kit/unit/until.ts';

const NOWHERE = 'http://127.0.0.1:9';

test('a service starts without its node and pays once it is up, but does not start on another chain, and accepts nothing after a kill -9 before the node is up', {
  skip: notInTurn(3, 'start without node, 1'),
}, async (t) => {
  const proxy = await startFaultProxy(t, NOWHERE);
  const world = await openWorldFromSnapshot(t, { env: { CHAIN_RPC_URL: proxy.url } });
  proxy.target(world.evm.url);
  const first = await world.startReady();
  const { client, apps } = await seedGames(world, first.origin, seededRandom(1));
  await first.stop();

  const other = await startEvm({ args: ['--chain-id', '4242'] });
  atEnd(t, () => other.stop());
  proxy.target(other.url);
  const refused = await world.start();
  assert.equal(refused.ready, false);
  assert.match(refused.output(), /^The database belongs to chain 31337, but the node is on chain 4242\.$/m);

  proxy.target(world.evm.url);
  proxy.reachable = false;
  const second = await world.startReady();
  const { origin } = second;
  await client.one(origin, 'pay');
  const ready = await fetch(`${origin}/readyz`);
  assert.equal(ready.status, 503);
  assert.match(await ready.text(), /"chain":"unavailable"/);
  // A command accepts transfers as the service does, which vouches for the database. So its transfer waits.
  assert.match(await world.command(['issue', apps[0]!.id, '25']), /^Issued +25/m);
  world.issued.set(`${apps[0]!.address.toLowerCase()}/25`, 1);

  await second.kill();
  assert.match(await world.command(['issue', apps[0]!.id, '26']), /^Payments wait until the database is compared/m);
  const third = await world.startReady();
  const payOut = () => {
    const headers = { authorization: `Bearer ${apps[0]!.serverKey}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ amount: 1, address: apps[0]!.address });
    return fetch(`${third.origin}/v1/accounts/${apps[0]!.address}/transfer`, { method: 'POST', headers, body });
  };
  const early = await payOut();
  assert.deepEqual([early.status, early.headers.get('retry-after')], [503, '5']);
  assert.match(await early.text(), /"code":"payments-suspended"/);
  assert.match(await (await fetch(`${third.origin}/readyz`)).text(), /"payments":"not-compared"/);
  assert.match(await world.command(['issue', apps[0]!.id, '26']), /^Payments wait until the database is compared/m);
  proxy.reachable = true;
  await until('the database is compared', async () => (await payOut()).status !== 503);
  await client.one(third.origin, 'pay');
  await world.settled();
  assert.equal((await fetch(`${third.origin}/readyz`)).status, 200);
  await openCrashAudit(world, client).check(third.origin);
});

test('the very first start fails without a node', { skip: notInTurn(3, 'start without node, 2') }, async (t) => {
  const world = await openWorld(await createDatabase(t), { env: { CHAIN_RPC_URL: NOWHERE } });
  atEnd(t, () => world.close());
  const refused = await world.start();
  assert.equal(refused.ready, false);
  assert.match(refused.output(), /^CHAIN_RPC_URL: The chain node did not answer eth_chainId/m);
});
