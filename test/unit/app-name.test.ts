import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nameInMail } from '../../src/features/mails/name-in-mail.ts';
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
    'Agar io',
    'Portal 2.0',
    'S.T.A.L.K.E.R.',
    'Tokyo: 1964',
    'Big Data: the Game',
    'モーニング娘。',
    'Air Support',
    'Team Rocket Security',
    'Area 51',
    '4 in a Row!',
    'Win $$$',
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
    ['Qu4rters', 'Quarters'],
    ['Qu@rter$ 2', 'Quarters'],
    ['Qu4rters2!', 'Quarters'],
    ['Quarters99', 'Quarters'],
    ['7Quarters', 'Quarters'],
    ['QuartersPay', 'Quarters'],
    ['Quarters Support', 'Quarters'],
    ['Quarŧers', 'Quarters'],
    ['Qu\u20ddarters', 'Quarters'],
    ['0ff!cial', 'official'],
    ['localhost support', 'localhost'],
    ['l0calh0st', 'localhost'],
  ];
  for (const [name, word] of names) assert.match(appNameFault(name) ?? '', new RegExp(`“${word}”`), name);
  for (const mark of '✓✔☑✅') assert.match(appNameFault(`Chess ${mark}`) ?? '', /check mark/, mark);
});

test('names of the service are refused as its own', () => {
  const ours = ['Acme Coins', 'pay.acme.example', '🪙'];
  for (const name of ['acme coins', 'AcmeCoins Help', '4cme C0ins', 'Pay Acme Example']) {
    assert.match(appNameFault(name, ours) ?? '', /^must not hold “(Acme Coins|pay\.acme\.example)”/, name);
  }
  for (const name of ['Acme Racing', 'Coins', '🪙 Rush']) assert.equal(appNameFault(name, ours), null, name);
  for (const name of ['Support', 'Customer Service', 'SUPPORT-TEAM', 'Supp0rt', 'Your Account', 'Ⓐⓓⓜⓘⓝ']) {
    assert.match(appNameFault(name) ?? '', /our staff/, name);
  }
});

test('names that read as addresses are refused, and spaced out in mails', () => {
  const names: [string, string][] = [
    ['https://evil.example/a?b', 'https: // evil. example/ a?b'],
    ['HTTP evil', 'HTTP evil'],
    ['evil.com', 'evil. com'],
    ['Prize at evil.com/win', 'Prize at evil. com/ win'],
    ['evil\u200b.\u2060com', 'evil. com'],
    ['evil．com', 'evil. com'],
    ['ｅｖｉｌ。com', 'evil。 com'],
    ['www.evil', 'www. evil'],
    ['пример.рф', 'пример. рф'],
    ['दुकान.भारत', 'दुकान. भारत'],
    ['10.0.0.1', '10. 0. 0. 1'],
    ['me@evil.com', 'me@ evil. com'],
    ['mailto:me', 'mailto: me'],
  ];
  for (const [name, mailed] of names) {
    assert.match(appNameFault(name) ?? '', /read as an address/, name);
    assert.equal(nameInMail(name), mailed);
    assert.equal(nameInMail(nameInMail(name)), mailed, 'and it stays so');
  }
  assert.equal(nameInMail('Ver. 2 – C’est la vie!'), 'Ver. 2 – C’est la vie!');
  assert.equal(nameInMail('ab\u202edc'), 'abdc', 'no name turns the direction of a mail');
  assert.equal(nameInMail('👨\u200d👩\u200d👧'), '👨\u200d👩\u200d👧');
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
