import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startEmulator } from './timed.ts';

/** What the first app of this seed has, in each run and on each machine. */
const OF_A_GAME = {
  id: '3hj68lDmrM7QgKUTt7QX',
  address: '0xe5A88f3d1e97d4980Eda7ee3bF521a5f87c08739',
  serverKey: 'qk_2PINAm5fAy0QludIy4zsx4vcPm1we2xyzKFe5edIYLw',
  clientSecret: 'qs_MC3gO4tDlAbFEm9LA6kUW4Kbl4Cz1ISOjFVCsJ5dRb9',
  webhookSecret: 'whsec_g0cTTliYV4RJZ1tpHjyotpd7Bk8iYCmXgcnUrTM6ecU=',
};

describe('a seed', () => {
  it('gives apps the same ids, keys, secrets and addresses in each run, and after each reset', async (t) => {
    const emulator = await startEmulator('--seed', 'a game');
    t.after(emulator.stop);
    const newApp = async () => (await emulator.control('POST', '/apps', { webhook: 'http://127.0.0.1:1/nobody' })).body;
    const first = await newApp();
    assert.deepEqual(first, OF_A_GAME);
    const second = await newApp();
    const shared = Object.values<string>(second).filter((one) => Object.values<string>(first).includes(one));
    assert.deepEqual(shared, []);
    assert.equal((await emulator.control('POST', '/reset')).status, 204);
    assert.deepEqual(await newApp(), first);
  });

  it('that is another gives others', async (t) => {
    const emulator = await startEmulator('--seed', 'another game');
    t.after(emulator.stop);
    const { id, address } = (await emulator.control('POST', '/apps', {})).body;
    assert.notEqual(id, OF_A_GAME.id);
    assert.notEqual(address, OF_A_GAME.address);
  });
});
