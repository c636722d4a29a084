import assert from 'node:assert/strict';
import { test } from 'node:test';
import { appNameFault, looksLike } from '../../src/identity/app-name.ts';

test('ordinary names are accepted', () => {
  const names = [
    'Space Race',
    'Headquarters',
    'Quarterstaff Duel 2',
    'Unofficial Chess',
    'C’est la vie!',
    'Шахматы онлайн',
    'Σκάκι',
    'Chess Шахматы',
    '東京パズル',
    'K리그 매니저',
    'Tシャツ',
    'شطرنج',
    'दिल की बात',
    '🎮🎲',
    '👨\u200d👩\u200d👧 Farm',
    'می\u200cخواهم بازی',
    'ක්\u200dරීඩා',
    'Ver. 2',
  ];
  for (const name of names) assert.equal(appNameFault(name), null, name);
});

test('names with words reserved for us are refused', () => {
  const names: [string, string][] = [
    ['Quarters', 'Quarters'],
    ['My QUARTERS shop', 'Quarters'],
    ['Q u a r t e r s', 'Quarters'],
    ['Quar-ters', 'Quarters'],
    ['Quar\u200dters', 'Quarters'],
    ['Quárters', 'Quarters'],
    ['Ｑｕａｒｔｅｒｓ', 'Quarters'],
    ['𝐐𝐮𝐚𝐫𝐭𝐞𝐫𝐬', 'Quarters'],
    ['🆀🆄🅰🆁🆃🅴🆁🆂', 'Quarters'],
    ['ᴠᴇʀɪꜰɪᴇᴅ', 'verified'],
    ['Chess (verified)', 'verified'],
    ['Ver1fied', 'verified'],
    ['VerIfied', 'verified'],
    ['ⓥⓔⓡⓘⓕⓘⓔⓓ Chess', 'verified'],
    ['the 0fficiaI game', 'official'],
    ['oﬃcial', 'official'],
  ];
  for (const [name, word] of names) assert.match(appNameFault(name) ?? '', new RegExp(`“${word}”`), name);
  for (const mark of '✓✔☑✅') assert.match(appNameFault(`Chess ${mark}`) ?? '', /check mark/, mark);
});

test('a word with letters of several alphabets is refused', () => {
  for (const name of ['Quаrters', 'оfficial', 'Βeta Game', 'Pаypal', 'Gamе', 'ՕK']) {
    assert.match(appNameFault(name) ?? '', /several alphabets/, name);
  }
});

test('a name is one line of 1 to 80 characters', () => {
  assert.match(appNameFault('') ?? '', /1 to 80/);
  assert.match(appNameFault('x'.repeat(81)) ?? '', /1 to 80/);
  assert.equal(appNameFault('😀'.repeat(80)), null);
  for (const name of ['a\nb', 'a\u2028b', 'a\u0000b']) assert.match(appNameFault(name) ?? '', /one line/, name);
});

test('names that look alike are recognised, and others are not', () => {
  const alike: [string, string][] = [
    ['Chess', 'chess'],
    ['Chess', 'C h e s s!'],
    ['Chess', 'Chess ♟'],
    ['Сһеѕѕ', 'Chess'],
    ['Pixel', 'PixeI'],
    ['Modern', 'Modem'],
    ['Level 1O', 'Level 10'],
    ['Νανα', 'ΝΑΝΑ'],
    ['Мона', 'МОНА'],
    ['🎮', '🎮'],
    ['Che\u200dss', 'Chess'],
    ['👨\u200d👩\u200d👧', '👨👩👧'],
    ['می\u200cخواهم', 'میخواهم'],
  ];
  for (const [one, other] of alike) assert.ok(looksLike(one, other) && looksLike(other, one), `${one} ${other}`);
  const unlike: [string, string][] = [
    ['Chess', 'Cheese'],
    ['Race 2', 'Race 3'],
    ['दिल', 'दल'],
    ['🎮', '🎲'],
    ['東京', '京都'],
  ];
  for (const [one, other] of unlike) assert.ok(!looksLike(one, other), `${one} ${other}`);
});
