import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asAddress } from '../../src/base/address.ts';
import { asHash } from '../../src/base/hex.ts';
import { readSettings } from '../../src/config/read-settings.ts';
import { addressLink, transactionLink } from '../../src/pages/account/account-frame.ts';

const HASH = asHash(`0x${'ab'.repeat(32)}`);
const ADDRESS = asAddress('0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed');

test('links to a block explorer', () => {
  const { explorerUrl } = readSettings({ EXPLORER_URL: 'https://etherscan.io/tx/{tx}' });
  assert.equal(transactionLink(explorerUrl, HASH), `https://etherscan.io/tx/${HASH}`);
  assert.equal(
    addressLink(explorerUrl, ADDRESS),
    'https://etherscan.io/address/0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  );
  const other = readSettings({ EXPLORER_URL: 'https://scan.example/?hash={tx}' }).explorerUrl;
  assert.equal(transactionLink(other, HASH), `https://scan.example/?hash=${HASH}`);
  assert.equal(addressLink(other, ADDRESS), null);
  const none = readSettings({}).explorerUrl;
  assert.deepEqual([transactionLink(none, HASH), addressLink(none, ADDRESS)], [null, null]);
  for (const wrong of [
    'etherscan.io/tx/{tx}',
    'https://etherscan.io',
    'javascript:{tx}',
    'https://a.example/{tx}{tx}',
  ]) {
    assert.throws(() => readSettings({ EXPLORER_URL: wrong }), /EXPLORER_URL must/);
  }
});
