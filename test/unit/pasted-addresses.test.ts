import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chainIdOf, chainName } from '../../src/base/chain-names.ts';
import { faultOfPasted, isAddressForm, pastedAddress, readPasted } from '../../src/base/pasted-address.ts';

// From EIP-55.
const WRITTEN = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const BASE = 8453;

test('an address is read as wallets copy it, where its chain is ours', () => {
  for (const text of [
    WRITTEN,
    `base:${WRITTEN}`,
    `BASE:${WRITTEN}`,
    `ethereum:${WRITTEN}`,
    `ethereum:${WRITTEN}@8453`,
    `ethereum:pay-${WRITTEN}@8453`,
    `Ethereum:${WRITTEN.toLowerCase()}@8453`,
    `eip155:8453:${WRITTEN}`,
    `${WRITTEN}@8453`,
  ]) {
    assert.ok(isAddressForm(text), text);
    assert.equal(faultOfPasted(text, BASE), null, text);
    assert.equal(pastedAddress(text, BASE, '/to'), WRITTEN.toLowerCase(), text);
  }
});

test('an address on another chain is refused with the chain, and with what to write if it is meant', () => {
  const rest = (ours: string) => `, and quarters are on ${ours}: if it is theirs there too, write ${WRITTEN}`;
  for (const [text, chain, theirs] of [
    [`eth:${WRITTEN}`, BASE, 'Ethereum (1)'],
    [`base:${WRITTEN}`, 1, 'Base (8453)'],
    [`ethereum:${WRITTEN}@1`, BASE, 'Ethereum (1)'],
    [`ethereum:pay-${WRITTEN}@10`, BASE, 'OP Mainnet (10)'],
    [`eip155:137:${WRITTEN}`, BASE, 'Polygon (137)'],
    [`eip155:424242:${WRITTEN}`, BASE, 'chain 424242'],
    [`${WRITTEN}@1`, BASE, 'Ethereum (1)'],
  ] as const) {
    assert.equal(faultOfPasted(text, chain), `is an address on ${theirs}${rest(chainName(chain))}`, text);
    assert.throws(() => pastedAddress(text, chain, '/recipient'), { code: 'invalid-input' });
  }
  assert.deepEqual(readPasted(`Foo:${WRITTEN}`, BASE), { kind: 'elsewhere', written: WRITTEN, chain: 'Foo' });
  assert.match(faultOfPasted(`foo:${WRITTEN}`, BASE)!, /^is an address on a chain that is not known here, and/);
  assert.match(
    faultOfPasted(`eth:${WRITTEN}`, 31337)!,
    /^is an address on Ethereum \(1\), and quarters are on chain 31337:/,
  );
});

test('a request for a payment is no address, and a checksum is checked in each form', () => {
  for (const text of [
    `ethereum:${WRITTEN}@8453/transfer?address=0x8e23ee67d1332ad560396262c48ffbb01f93d052&uint256=1`,
    `ethereum:${WRITTEN}/transfer?address=${WRITTEN}`,
    `ethereum:${WRITTEN}?value=2.014e18`,
    `ethereum:${WRITTEN}@0x2105`,
  ]) {
    assert.match(faultOfPasted(text, BASE)!, /^has more than an address in it: write the address alone/, text);
    assert.equal(readPasted(text, BASE).kind, 'more');
  }
  const mistyped = WRITTEN.replace('aA', 'Aa');
  for (const text of [
    mistyped,
    `base:${mistyped}`,
    `eth:${mistyped}`,
    `ethereum:${mistyped}@8453`,
    `eip155:8453:${mistyped}`,
  ])
    assert.match(faultOfPasted(text, BASE)!, /wrong checksum/, text);
  assert.match(faultOfPasted('ethereum:ada.eth', BASE)!, /^is not an address/);
  assert.match(faultOfPasted(`base:${WRITTEN.slice(0, 30)}`, BASE)!, /has 28 digits after 0x/);
});

test('what is no address in any form is left to others', () => {
  for (const text of [
    'ada@game.example',
    `${WRITTEN}@ethermail.example`,
    'b7Kq2LxT9mVwR4sN8cYzE1hJ5uPa',
    'mailto:ada',
    'Ada',
    `${'long'.repeat(9)}:${WRITTEN}`,
  ])
    assert.equal(isAddressForm(text), false, text);
  assert.equal(chainIdOf('toString'), null);
});
