import assert from 'node:assert/strict';
import { test } from 'node:test';
import { call } from '../kit/service/call.ts';
import { startScenario } from '../kit/service/scenario.ts';

test('a balance is answered while no node is, with the last known ether and its age', async (t) => {
  const s = await startScenario(t, { guests: 2 });
  const [known, other] = s.guests as [(typeof s.guests)[0], (typeof s.guests)[0]];
  await s.completed(await s.pay(0, 5), await s.pay(1, 7));
  await s.faulty.evm.rpc('anvil_setBalance', [known.address, '0x14d1120d7b160000']);
  const balance = async ({ address, accessToken }: typeof known) => {
    const { statusCode, headers, json } = await call(s.app, `GET /v1/accounts/${address}/balance`, {
      token: accessToken,
    });
    const [{ quarters, ethers }] = json() as [{ quarters: string; ethers: string }];
    return { statusCode, quarters, ethers, age: headers['ether-age'] };
  };
  const ethers = '1500000000000000000';
  assert.deepEqual(await balance(known), { statusCode: 200, quarters: '5', ethers, age: undefined });
  s.faulty.proxy.reachable = false;
  const then = await balance(known);
  assert.deepEqual({ ...then, age: null }, { statusCode: 200, quarters: '5', ethers, age: null });
  assert.deepEqual(await balance(other), { statusCode: 200, quarters: '7', ethers: '0', age: 'unknown' });
  s.faulty.proxy.reachable = true;
  assert.equal((await balance(other)).age, undefined);
  await s.prove();
});
