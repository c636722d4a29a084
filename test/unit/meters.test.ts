import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asAddress } from '../../src/base/address.ts';
import { Meters } from '../../src/base/meters.ts';

test('what a relayer spends is counted by the process that sends for it, and by no other', () => {
  const relayer = asAddress(`0x${'1'.repeat(40)}`);
  const [sender, other] = [new Meters(), new Meters()];
  for (const [wei, who] of [
    [100n, sender],
    [90n, sender],
    // Ether arrives.
    [150n, sender],
    [145n, sender],
    // The relayer goes to the other process.
    [140n, other],
  ] as const) {
    for (const meters of [sender, other]) meters.seeWei(relayer, wei, meters === who);
  }
  assert.deepEqual([sender.weiSpent, other.weiSpent], [15n, 5n]);
  assert.equal(other.relayerWei.get(relayer), 140n);
});
