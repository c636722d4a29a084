import assert from 'node:assert/strict';
import { test } from 'node:test';
import { frameAncestorFault } from '../../src/identity/app-addresses.ts';
import { pageHeaders } from '../../src/web/send-page.ts';

test('only an origin that a content security policy can name may frame the pages', () => {
  const right = ['https://game.example', 'https://game.example:8443', 'http://localhost:3000', 'http://127.0.0.1'];
  for (const source of right) {
    assert.equal(frameAncestorFault(source), null, source);
    // An accepted origin is also sent.
    assert.ok(pageHeaders({ frameAncestors: [source] })['content-security-policy']?.endsWith(` ${source}`), source);
  }
  const wrong = [
    '*',
    'https://*.example',
    'https://a;sandbox',
    'https://a,b',
    'https://game.example/',
    'https://Game.example',
    'http://game.example',
    'https://[2001:db8::1]',
    'http://[::1]:3000',
    'https://game.example:',
    'com.acme.game://',
  ];
  for (const source of wrong) assert.notEqual(frameAncestorFault(source), null, source);
});
