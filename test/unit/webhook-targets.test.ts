import assert from 'node:assert/strict';
import type { LookupAddress } from 'node:dns';
import { test } from 'node:test';
import { isPublicAddress, loopbackUrl, publicLookup, targetFault } from '../../src/webhooks/targets.ts';

const PUBLIC = ['1.1.1.1', '8.8.8.8', '9.255.255.255', '100.63.255.255', '100.128.0.0', '126.0.0.1', '169.253.0.1']
  .concat(['172.15.0.1', '172.32.0.1', '192.0.1.1', '192.167.0.1', '198.17.0.1', '198.20.0.1', '223.255.255.255'])
  .concat(['2606:4700:4700::1111', '2a00:1450::1', '2001:200::1', '3ffe::1']);

const PRIVATE = ['0.0.0.0', '0.1.2.3', '10.0.0.1', '100.64.0.1', '100.127.255.255', '127.0.0.1', '127.255.0.1']
  .concat(['169.254.169.254', '172.16.0.1', '172.31.255.255', '192.0.0.1', '192.0.2.1', '192.168.1.1', '198.18.0.1'])
  .concat(['198.19.255.255', '198.51.100.1', '203.0.113.1', '224.0.0.1', '239.1.1.1', '240.0.0.1', '255.255.255.255'])
  // Loopback, unspecified, v4-mapped and v4-compatible, NAT64, 6to4, Teredo, unique local, link-local, multicast, documentation.
  .concat(['::1', '::', '::ffff:127.0.0.1', '::ffff:8.8.8.8', '::7f00:1', '64:ff9b::7f00:1', '64:ff9b:1::1'])
  .concat([
    '2002:7f00:1::',
    '2001::1',
    '2001:db8::1',
    'fc00::1',
    'fd12:3456::1',
    'fe80::1',
    'fec0::1',
    'ff02::1',
    '3fff::1',
  ])
  .concat(['', 'localhost', '1.2.3', '::ffff:8.8.8.8.8']);

test('only addresses of the public internet count as public', () => {
  for (const address of PUBLIC) assert.ok(isPublicAddress(address), address);
  for (const address of PRIVATE) assert.ok(!isPublicAddress(address), address);
});

test('a URL to any other address is refused, in any spelling', () => {
  for (const url of [
    'https://game.example/hook?key=1',
    'https://game.example:8443/',
    'https://1.1.1.1',
    'https://[2606:4700::1]/',
  ]) {
    assert.equal(targetFault(url, false), null, url);
  }
  const faults: [string, RegExp][] = [
    ['', /must be a URL/],
    ['game.example', /must be a URL/],
    [`https://game.example/${'x'.repeat(2000)}`, /up to 2000/],
    ...['\n\nText of a mail', '\0', ' x', '\ud800'].map((end): [string, RegExp] => [
      `https://game.example/${end}`,
      /without spaces/,
    ]),
    ['http://game.example/', /https/],
    ['ftp://game.example/', /https/],
    ['file:///etc/passwd', /https/],
    ['https://user@game.example/', /user/],
    ['https://:secret@game.example/', /user/],
    ['https://game.example/#part', /fragment/],
    ['https://game.example:22/', /port/],
    ['https://game.example:80/', /port/],
    ...[
      '127.0.0.1',
      '127.1',
      '2130706433',
      '0x7f000001',
      '0177.0.0.1',
      '[::1]',
      '[::ffff:10.0.0.1]',
      '169.254.169.254',
      '0',
      'localhost',
      'LOCALHOST.',
      'game.localhost:3000',
    ].map((host): [string, RegExp] => [`https://${host}/`, /public internet/]),
  ];
  for (const [url, why] of faults) assert.match(targetFault(url, false) ?? 'taken', why, url);
  for (const url of ['http://127.0.0.1:80/', 'https://[::1]/', 'http://localhost:3000/hook']) {
    assert.equal(targetFault(url, true), null, url);
  }
  assert.match(targetFault('http://user@localhost/', true) ?? 'taken', /user/);
});

test('an address of this machine is told from all others', () => {
  for (const here of [
    ...[
      'localhost:3000/hook',
      'http://localhost',
      'HTTPS://LOCALHOST:1',
      'game.localhost/x',
      '127.0.0.1:80',
      '[::1]:3000',
    ],
    ...['http://127.1/', 'http://0x7f000001/'],
  ]) {
    assert.ok(loopbackUrl(here), here);
  }
  for (const elsewhere of [
    ...[
      '',
      '3000',
      ':3000',
      'game.example',
      'localhost.example',
      'notlocalhost',
      'https://10.0.0.1',
      '0.0.0.0',
      '[::]',
    ],
    ...['ftp://localhost/', 'localhost@game.example', 'http://128.0.0.1/', '[::ffff:127.0.0.1]'],
  ]) {
    assert.equal(loopbackUrl(elsewhere), null, elsewhere);
  }
});

test('a host name resolves only to public addresses', async () => {
  const look = (addresses: string[], all: boolean) =>
    new Promise<string | LookupAddress[]>((resolve, reject) => {
      const lookup = publicLookup(async () => addresses);
      lookup('game.example', { all }, (error, found) => (error ? reject(error) : resolve(found)));
    });
  assert.equal(await look(['1.1.1.1', '1.0.0.1'], false), '1.1.1.1');
  assert.deepEqual(await look(['1.1.1.1', '2606:4700::1'], true), [
    { address: '1.1.1.1', family: 4 },
    { address: '2606:4700::1', family: 6 },
  ]);
  for (const addresses of [[], ['10.0.0.1'], ['1.1.1.1', '127.0.0.1'], ['2606:4700::1', '::1']]) {
    for (const all of [true, false]) await assert.rejects(look(addresses, all), /no public address/);
  }
});
