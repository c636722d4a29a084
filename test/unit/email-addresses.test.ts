import assert from 'node:assert/strict';
import { test } from 'node:test';
import { emailFault, foldEmail, normaliseEmail, readableEmail } from '../../src/identity/users.ts';

test('international domains are accepted in both forms, and shown in their own script', () => {
  for (const [typed, kept, shown] of [
    ['Ada@Example.com', 'Ada@Example.com', 'Ada@Example.com'],
    ['ada@MÜNCHEN.de', 'ada@xn--mnchen-3ya.de', 'ada@münchen.de'],
    ['ada@xn--mnchen-3ya.de', 'ada@xn--mnchen-3ya.de', 'ada@münchen.de'],
    ['ゲーム@例え。jp', 'ゲーム@xn--r8jz45g.jp', 'ゲーム@例え.jp'],
    ['ada@my--shop.example', 'ada@my--shop.example', 'ada@my--shop.example'],
  ] as const) {
    assert.equal(normaliseEmail(` ${typed} `), kept);
    assert.equal(emailFault(kept), null, kept);
    assert.equal(readableEmail(kept), shown);
    // As release 1.0.0 stored it.
    assert.equal(foldEmail(shown), foldEmail(kept));
  }
});

test('what only resembles an international address is refused', () => {
  for (const typed of ['ada@mün chen.de', 'ada@a%41.é', 'ada@é_.de', 'ada@é@b.de', 'ada@é..de', 'ada@☃.net']) {
    assert.notEqual(emailFault(normaliseEmail(typed)), null, typed);
  }
});
