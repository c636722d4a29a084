import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { asAddress } from '../../src/base/address.ts';
import { localMasterKey } from '../../src/custody/master-key.ts';
import { kitText, parseKit } from '../../src/custody/recovery-kit.ts';

const seed = randomBytes(32);
const masterKey = localMasterKey(randomBytes(32));
const kit = {
  origin: 'https://pay.example',
  chainId: 11155111,
  contracts: { token: asAddress(`0x${'ab'.repeat(20)}`), settlement: asAddress(`0x${'cd'.repeat(20)}`) },
  startBlock: 9_007_199n,
  sweptAfter: null as bigint | null,
  wrappedSeed: await masterKey.wrap(seed, 'seed'),
};
const text = kitText(kit, new Date());

test('a recovery kit has the wrapped seed and the chain, and no seed', () => {
  assert.deepEqual(parseKit(text), kit);
  for (const form of [seed.toString('hex'), seed.toString('base64')]) assert.ok(!text.includes(form));
});

test('a recovery kit of a later seed says after which block the quarters moved to its accounts', () => {
  const later = { ...kit, sweptAfter: 12n };
  assert.deepEqual(parseKit(kitText(later, new Date())), later);
});

test('a recovery kit may have been through editors and mails', () => {
  const edited = text
    .replace(/^#.*\n/gm, '')
    .replaceAll('\n', '\r\n')
    .replaceAll(': ', ':   ');
  assert.deepEqual(parseKit(`\u{feff}# From the safe\r\n\r\n${edited}\r\n\r\n`), kit);
});

test('a damaged recovery kit is refused, whatever is damaged', () => {
  const damaged = { message: 'The recovery kit is damaged: its checksum is not that of its lines. Use another copy.' };
  const lines = text.split('\n').filter((line) => /^(?!#)./.test(line));
  for (const line of lines.slice(1)) {
    const end = line.at(-1) === 'x' ? 'y' : 'x';
    assert.throws(() => parseKit(text.replace(line, line.slice(0, -1) + end)), damaged, line);
    assert.throws(() => parseKit(text.replace(`${line}\n`, '')), damaged, `without ${line}`);
  }
  const [first, second] = lines.slice(1) as [string, string];
  assert.throws(() => parseKit(text.replace(`${first}\n${second}`, `${second}\n${first}`)), damaged);
  assert.throws(() => parseKit(text.replace(first, `${first}\nsomething: else`)), damaged);
  assert.throws(() => parseKit(text.slice(0, -20)), damaged);
});

test('another file, and the kit of a later release, are named', () => {
  for (const other of ['', 'a'.repeat(64), '{"kit": 1}']) {
    assert.throws(() => parseKit(other), { message: 'This file is no recovery kit of Quarters.' });
  }
  const later = text.replace('quarters-recovery-kit: 1', 'quarters-recovery-kit: 2');
  assert.throws(() => parseKit(later), /has version 2, which this release does not know/);
});
