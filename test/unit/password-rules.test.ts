import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { commonPasswords, type PasswordOwner, passwordFault } from '../../src/identity/password-rules.ts';
import { en } from '../../words/en.ts';
import { PASSWORD } from '../kit/service/people.ts';

const ADA: PasswordOwner = { email: 'Ada.L77@mail.example', displayName: 'Ada Zwerling' };

const GOOD = [
  PASSWORD,
  'zX9$kQ2!mB7@',
  'кошка собака дом',
  'correct horse',
  'adamant harbour',
  '830174652918',
  'zwerling met babbage',
];

const COMMON = [
  ['on the list', '123qweasdzxc'],
  ['in other letters', 'CounterStrike'],
  ['a common word with digits after it', 'Password1234'],
  ['with signs in it', 'p@ssw0rd2024!'],
  ['with signs around it', '!!dragon2024!!'],
  ['in wide letters', 'ｐａｓｓｗｏｒｄ１２３４'],
  ['with spaces in it', 'pass word 1234'],
  ['repeated', 'monkeymonkey'],
  ['one character', '!!!!!!!!!!!!!'],
  ['a short part, repeated', 'abcabcabcabc'],
  ['a row of keys', 'qwertyuiopas'],
  ['a row backwards', '0987654321098'],
  ['named after this service', 'Quarters-2026'],
] as const;

const OWN = [
  ['the address', 'ada.l77@MAIL.example'],
  ['the part before the @', 'ada.l77!2026'],
  ['that part without signs', 'adal77adal77'],
  ['the name', 'Ada Zwerling'],
  ['the name, written together', 'adazwerling12'],
  ['a part of the name', '1815_Zwerling'],
  ['a part of the name, repeated', 'zwerling zwerling'],
] as const;

const TOO_SHORT = { code: 'password-too-short', number: 12 };

test('passwords of 12 to 128 characters of any kind are accepted', async () => {
  for (const good of GOOD) assert.equal(await passwordFault(good, ADA), null, good);
  assert.deepEqual(await passwordFault('kX7 wq2 Lp4', ADA), TOO_SHORT);
  assert.deepEqual(
    await passwordFault('🎲🐎🔋🏠🌳🚲🎸🍋🚀🐙🧊', ADA),
    TOO_SHORT,
    'characters are counted, not surrogates',
  );
  assert.equal(await passwordFault('🎲🐎🔋🏠🌳🚲🎸🍋🚀🐙🧊🎺', ADA), null);
  assert.deepEqual(await passwordFault(`kX7${' '.repeat(9)}wq2`, ADA), TOO_SHORT, 'spaces in a row are one');
  const long = Array.from({ length: 32 }, (_, i) =>
    String.fromCodePoint(0x3a9 + i, 0x4e00 + i * 7, 97 + (i % 26), 0x1f600 + i),
  ).join('');
  assert.equal(await passwordFault(long, ADA), null);
  assert.deepEqual(await passwordFault(`${long}x`, ADA), { code: 'password-too-long', number: 128 });
});

test('passwords that are common in breaches are refused', async (t) => {
  for (const [what, password] of COMMON) {
    await t.test(`a common password, ${what}, is refused`, async () =>
      assert.deepEqual(await passwordFault(password, ADA), { code: 'password-common' }),
    );
  }
  await t.test('every list entry that is long enough is refused', async () => {
    const long = [...(await commonPasswords())].filter(({ length }) => length >= 12);
    assert.ok(long.length > 200, `${long.length}`);
    for (const listed of long) assert.notEqual(await passwordFault(listed, ADA), null, listed);
  });
});

test('a password with the owner’s name or e-mail address is refused', async (t) => {
  for (const [what, password] of OWN) {
    await t.test(`a password with ${what} is refused`, async () => {
      assert.deepEqual(await passwordFault(password, ADA), { code: 'password-own' });
      const somebody = { email: 'somebody@else.example', displayName: 'Grace' };
      assert.equal(await passwordFault(password, somebody), null);
    });
  }
  await t.test('a name of fewer than four characters is allowed in a password', async () => {
    assert.equal(await passwordFault('jo 2026 jo 77', { email: 'jo@mail.example', displayName: 'Jo' }), null);
  });
});

test('the strength shown on the page never promises a password that is refused', async () => {
  const { email, displayName: name } = ADA;
  const source = readFileSync(new URL('../../src/web/assets/password.js', import.meta.url), 'utf8');
  const page = { querySelectorAll: () => [] };
  const verdictOn = new Function('document', 'passwordWords', `${source}; return verdictOn`)(
    page,
    en.scripts.password,
  ) as (password: string, own: { email: string; name: string }) => { level: number; says: string };
  const levelOf = (password: string) => verdictOn(password, { email, name }).level;
  for (const [, password] of OWN) assert.equal(levelOf(password), 0, password);
  for (const password of ['', 'short', `kX7${' '.repeat(9)}wq2`, 'x y'.repeat(50)])
    assert.equal(levelOf(password), 0, password);
  for (const [what, password] of COMMON) assert.ok(levelOf(password) <= 1, what);
  for (const password of GOOD) assert.ok(levelOf(password) >= 1, password);
  assert.equal(verdictOn(PASSWORD, { email, name }).says, en.scripts.password.strong);
  const long = [...(await commonPasswords())].filter(({ length }) => length >= 12);
  const praised = long.filter((listed) => levelOf(listed) > 1);
  assert.ok(praised.length < 10, `the page does not know the list, but praises few of it: ${praised}`);
});
