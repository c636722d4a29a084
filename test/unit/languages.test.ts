import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatsOf } from '../../src/base/formats.ts';
import { acceptedRanges, type Languages, languageOf, lookUpLanguage, namedRanges } from '../../src/words/languages.ts';
import { de } from '../../words/de.ts';
import { en } from '../../words/en.ts';

const all = ['en', 'de', 'pt-BR', 'ar'].map((language) => ({ ...en, language }));
const languages: Languages = { all, fallback: en };

test('a language is looked up by shortening each range in turn', () => {
  const cases: [ranges: string[], language: string | undefined][] = [
    [['de'], 'de'],
    [['DE-at'], 'de'],
    [['de-Latn-CH-1996'], 'de'],
    [['pt'], 'pt-BR'],
    [['pt-PT'], 'pt-BR'],
    [['pt-br'], 'pt-BR'],
    [['fi', 'ar-EG', 'de'], 'ar'],
    [['fi', 'e', 'enough', ''], undefined],
    [[], undefined],
  ];
  for (const [ranges, language] of cases) {
    assert.equal(lookUpLanguage(languages, ranges)?.language, language, ranges.join());
  }
  assert.equal(languageOf(languages, 'de-AT'), null);
});

test('Accept-Language names the most wanted language first, and none that is refused', () => {
  const cases: [header: string | undefined, ranges: string[]][] = [
    [undefined, []],
    ['de', ['de']],
    ['fr-CH, fr;q=0.9, en;q=0.8, de;q=0.7, *;q=0.5', ['fr-CH', 'fr', 'en', 'de']],
    ['en;q=0.1,ja ; q=0.5, ar;q=1.000', ['ar', 'ja', 'en']],
    ['de;q=0, en;q=0.000, ja', ['ja']],
    ['de;q=2, en;q=-1, <script>, ja;level=1', []],
    [Array.from({ length: 1000 }, () => 'xx').join(), Array.from({ length: 20 }, () => 'xx')],
  ];
  for (const [header, ranges] of cases) assert.deepEqual(acceptedRanges(header), ranges, String(header));
  assert.deepEqual(namedRanges('fr-CA  de <b> *'), ['fr-CA', 'de']);
});

test('a number of things takes the form that its language has for it', () => {
  const forms = { zero: 'z', one: 'o', two: 't', few: 'f #', many: 'm #', other: '# x' };
  const said = (locale: string, ...counts: number[]) => counts.map((count) => formatsOf(locale).plural(count, forms));
  assert.deepEqual(said('ar-u-nu-latn', 0, 1, 2, 3, 11, 100), ['z', 'o', 't', 'f 3', 'm 11', '100 x']);
  assert.deepEqual(said('en-GB', 0, 1, 1234), ['0 x', 'o', '1,234 x']);
  assert.deepEqual(said('ja', 1), ['1 x']);
  assert.equal(formatsOf('fr').plural(0, { one: '# jeu', other: '# jeux' }), '0 jeu');
  assert.match(String(de.approval.missing(1n)), /^Dir fehlt <strong>1\sQuarter</);
  assert.match(String(de.approval.missing(2n)), /^Dir fehlen <strong>2\sQuarters</);
});
