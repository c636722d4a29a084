import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asAddress, parseAddress, toChecksum } from '../../src/base/address.ts';
import { humanDateTime, isDay } from '../../src/base/dates.ts';
import {
  APP_ID_PATTERN,
  newAppId,
  newRequestId,
  newUserId,
  USER_ID_PATTERN,
  UUID_PATTERN,
} from '../../src/base/ids.ts';
import { formatEthers, withThousands } from '../../src/base/quarters.ts';
import { hashSecret, newSecret } from '../../src/base/secrets.ts';
import { parseTime } from '../../src/cli/values.ts';

// From EIP-55.
const CHECKSUMMED = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';

test('addresses are read in any case, but a mixed-case one must carry its EIP-55 checksum', () => {
  const address = CHECKSUMMED.toLowerCase();
  assert.equal(parseAddress(CHECKSUMMED), address);
  assert.equal(parseAddress(address), address);
  assert.equal(parseAddress(`0x${CHECKSUMMED.slice(2).toUpperCase()}`), address);
  assert.equal(parseAddress(CHECKSUMMED.replace('aA', 'Aa')), null);
  for (const text of [
    '',
    '0x',
    address.slice(0, -1),
    `${address}0`,
    address.slice(2),
    `0X${address.slice(2)}`,
    address.replace('5', 'g'),
  ]) {
    assert.equal(parseAddress(text), null, text);
  }
  assert.equal(toChecksum(asAddress(address)), CHECKSUMMED);
});

test('a day that the calendar does not have is no day, and no time', () => {
  for (const day of ['2026-01-31', '2024-02-29']) {
    assert.equal(isDay(day), true, day);
    assert.deepEqual(parseTime(day), new Date(day));
    assert.deepEqual(parseTime(`${day}T01:00+02:00`), new Date(`${day}T01:00+02:00`));
  }
  for (const day of ['2026-02-31', '2026-02-29', '2026-04-31', '2026-13-01', '2026-1-1', '', '2026-01-31T']) {
    assert.equal(isDay(day), false, day);
    for (const text of [day, `${day}T12:00Z`]) assert.throws(() => parseTime(text), /such as 2026-01-31/, text);
  }
});

test('the date of an account has the documented form, in UTC', () => {
  assert.equal(humanDateTime(new Date('2017-11-29T05:25:14Z')), 'November 29, 2017 at 5:25:14 AM');
  assert.equal(humanDateTime(new Date('2026-01-01T00:00:00Z')), 'January 1, 2026 at 12:00:00 AM');
  assert.equal(humanDateTime(new Date('2026-12-31T12:09:05Z')), 'December 31, 2026 at 12:09:05 PM');
  assert.equal(humanDateTime(new Date('2026-12-31T23:59:59Z')), 'December 31, 2026 at 11:59:59 PM');
});

test('ether is shown with two digits, rounded down', () => {
  assert.equal(formatEthers(0n), '0.00');
  assert.equal(formatEthers(19_999_999_999_999_999n), '0.01');
  assert.equal(formatEthers(1_999_999_999_999_999_999n), '1.99');
  assert.equal(formatEthers(1_234_567n * 10n ** 18n), '1,234,567.00');
});

test('thousands are separated by commas', () => {
  assert.equal(withThousands(0n), '0');
  assert.equal(withThousands(999n), '999');
  assert.equal(withThousands(1000n), '1,000');
  assert.equal(withThousands(9_007_199_254_740_991n), '9,007,199,254,740,991');
});

test('ids have the documented shapes, and secrets are never alike', () => {
  assert.match(newUserId(), new RegExp(USER_ID_PATTERN));
  assert.match(newAppId(), new RegExp(APP_ID_PATTERN));
  assert.match(newRequestId(), new RegExp(UUID_PATTERN));
  const secrets = new Set(Array.from({ length: 1000 }, () => newSecret('server key')));
  assert.equal(secrets.size, 1000);
  assert.match([...secrets][0]!, /^qk_[A-Za-z0-9]{43}$/);
  assert.equal(hashSecret('a').length, 32);
});
