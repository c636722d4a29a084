import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isForeignForm, isOwnForm } from '../../src/web/form-guard.ts';

const HTTPS = 'https://quarters.example';
const HTTP = 'http://localhost:8080';

/** Headers, our origin, and whether the form came from another site. */
const CASES: readonly (readonly [Record<string, string>, string, boolean])[] = [
  [{ 'sec-fetch-site': 'same-origin', origin: HTTPS }, HTTPS, false],
  [{ 'sec-fetch-site': 'same-site', origin: HTTPS }, HTTPS, true],
  [{ 'sec-fetch-site': 'none' }, HTTPS, true],
  [{ 'sec-fetch-site': 'same-origin', origin: 'null' }, HTTPS, true],
  [{ origin: HTTPS, host: 'quarters.example' }, HTTPS, false],
  [{ origin: HTTPS, host: 'inside:8080' }, HTTPS, false],
  [{ origin: 'http://quarters.example', host: 'quarters.example' }, HTTPS, true],
  [{ origin: 'https://quarters.example:8443', host: 'quarters.example:8443' }, HTTPS, true],
  [{ origin: 'https://evil.example', host: 'evil.example' }, HTTPS, true],
  [{ origin: HTTP, host: 'localhost:8080' }, HTTP, false],
  [{ origin: 'http://192.168.0.7:8080', host: '192.168.0.7:8080' }, HTTP, false],
  [{ origin: 'http://machine', host: 'Machine:80' }, HTTP, false],
  [{ origin: 'https://192.168.0.7:8080', host: '192.168.0.7:8080' }, HTTP, true],
  [{ origin: 'http://192.168.0.7:8081', host: '192.168.0.7:8080' }, HTTP, true],
  [{ origin: 'chrome-extension://192.168.0.7:8080', host: '192.168.0.7:8080' }, HTTP, true],
  [{ origin: 'http://evil.example', host: '' }, HTTP, true],
];

test('a form is foreign unless scheme, host and port of its origin are ours', () => {
  for (const [headers, ours, foreign] of CASES) {
    assert.equal(isForeignForm(headers, ours), foreign, JSON.stringify({ headers, ours }));
    assert.equal(isOwnForm(headers, ours), !foreign, JSON.stringify({ headers, ours }));
  }
});

test('a browser that sends no origin is accepted only for forms with a token', () => {
  assert.equal(isForeignForm({ host: 'quarters.example' }, HTTPS), false);
  assert.equal(isOwnForm({ host: 'quarters.example' }, HTTPS), false);
});
