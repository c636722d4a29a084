import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clientAddress } from '../../src/http/rate-limits.ts';

const ADDRESSES = [
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['::FFFF:192.0.2.7', '192.0.2.7'],
  ['::1', '0:0:0:0::/64'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:DB8:1:2:ffff::9', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['2001:db8:0:0:1::', '2001:db8:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
] as const;

test('callers are counted by IPv4 address or IPv6 network', () => {
  for (const [ip, counted] of ADDRESSES) assert.equal(clientAddress({ ip }), counted, ip);
});
