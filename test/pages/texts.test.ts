import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Hash } from '../../src/base/hex.ts';
import type { RequestId } from '../../src/base/ids.ts';
import { redirectResultOf, resultOf } from '../../src/pages/approval/result.ts';
import { gameText } from '../../src/web/game-text.ts';
import { formTargets, resultAddress } from '../../src/web/result-delivery.ts';
import { pageHeaders } from '../../src/web/send-page.ts';
import { en } from '../../words/en.ts';
import { seedOf } from '../kit/run/seed.ts';

test("a game's text cannot change the text around it", () => {
  const cases: [string, string | null][] = [
    ['Chess Royale', 'Chess Royale'],
    ['  two\r\n lines\t', 'two lines'],
    ['abc\u202etxt.exe\u202c', 'abctxt.exe'],
    ['\u2066isolate\u2069\u200f\u061c', 'isolate'],
    ['zero\u200bwidth\u00ad\u2060', 'zerowidth'],
    ['nul\u0000bell\u0007', 'nulbell'],
    ['Chess” is verified. “', 'Chess’ is verified. ’'],
    ['\u0301\u0302mark first', 'mark first'],
    [`z${'\u0351'.repeat(50)}!`, `z${'\u0351'.repeat(4)}!`],
    ['👩‍👩‍👧 family', '👩‍👩‍👧 family'],
    ['شطرنج', 'شطرنج'],
    ['\u3164\u2800 \u200d', null],
    ['', null],
    ['\ud800', null],
    ['x'.repeat(80), `${'x'.repeat(59)}…`],
  ];
  for (const [given, shown] of cases) assert.equal(gameText(given, 60), shown, JSON.stringify(given));
});

test('redirect values survive clients that decode before they split', () => {
  const requestId = '0190' as RequestId;
  assert.deepEqual(resultOf(en, { kind: 'declined', requestId }), { cancel: true });
  assert.deepEqual(redirectResultOf(en, { kind: 'declined', requestId }), { cancel: true, requestId });
  assert.deepEqual(resultOf(en, { kind: 'approved', requestId, txHash: '0xab' as Hash }), { txId: '0xab', requestId });
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (error) => {
      const address = resultAddress('https://game.example/', { requestId, error, reason: 'stopped' });
      assert.match(address, /^[\x21-\x7e]+$/);
      const pairs = decodeURIComponent(address).split('?').slice(1).join('?').split('&');
      assert.equal(address.split('?').length, 2);
      assert.deepEqual(
        pairs.map((pair) => pair.split('=').length),
        [2, 2, 2],
      );
    }),
    { seed: seedOf('properties') },
  );
});

test('a registered redirect address keeps its exact spelling', () => {
  const result = { cancel: true } as const;
  const cases: [string, string][] = [
    ['com.acme.game://', 'com.acme.game://?cancel=true'],
    ['com.acme.game:/back', 'com.acme.game:/back?cancel=true'],
    ['https://game.example', 'https://game.example?cancel=true'],
    ['https://game.example/?', 'https://game.example/?cancel=true'],
    ['https://game.example/?a=b', 'https://game.example/?a=b&cancel=true'],
    ['https://game.example/?a=b&', 'https://game.example/?a=b&cancel=true'],
    ['https://Game.example/A/../%7e', 'https://Game.example/A/../%7e?cancel=true'],
    ['https://game.example/ü', 'https://game.example/%C3%BC?cancel=true'],
    ['https://game.example/\r\nx: y', 'https://game.example/%0D%0Ax:%20y?cancel=true'],
  ];
  for (const [registered, expected] of cases) assert.equal(resultAddress(registered, result), expected);
});

test('a form may redirect to the schemes that the app registered', () => {
  const others = [
    'https://game.example/',
    'com.acme.game://',
    'com.acme.game:/other',
    'com.acme.other:/',
    'http://[::1]/',
  ];
  const cases: [string, string[]][] = [
    ['https://game.example/a?b', ['https:', 'com.acme.game:', 'com.acme.other:']],
    ['http://127.0.0.1:3000/', ['http:', 'com.acme.game:', 'com.acme.other:']],
    ['https://a;script-src/', ['https:', 'com.acme.game:', 'com.acme.other:']],
    ['com.acme.game://', ['com.acme.game:']],
  ];
  for (const [registered, sources] of cases) assert.deepEqual(formTargets(registered, others), sources);
});

test('only plain origins become frame ancestors', () => {
  const policy = (frameAncestors: string[]) => pageHeaders({ frameAncestors })['content-security-policy'];
  assert.match(
    policy(['https://a.example', 'http://127.0.0.1:80'])!,
    /frame-ancestors https:\/\/a\.example http:\/\/127\.0\.0\.1:80$/,
  );
  const odd = ['*', 'https://*', 'https://*.example', 'null', 'data:', 'https://a;sandbox', 'https://a,b', "'self'"];
  assert.match(policy(odd)!, /frame-ancestors 'none'$/);
});
