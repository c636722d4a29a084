import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { literalsOf } from '../../scripts/source-text.ts';
import { LOCALES } from '../../src/base/locales.ts';

const root = join(import.meta.dirname, '../..');

/**
 * The consoles of developers and operators, their scripts (`console-…`, `docs…`) and the tour are not for players. quarters.js gets its
 * sentences another way. A downloaded profile is data, whose names are fixed, and names that a store gives are stored.
 */
const EXEMPT =
  /^src\/pages\/(?:consoles\/|home\/tour\.ts$)|^src\/web\/assets\/(?:quarters\.|console-|docs[-.])|^src\/features\/accounts\/profile\.ts$|^src\/identity\/(?:new-guests|demo-owner)\.ts$/;

/** The features and views that pages use. */
const FEATURES = 'src/features/{credentials,attempts,accounts,approvals,guests,sessions}/*.ts';
const VIEWS = 'src/views/{accounts,approvals}/*.ts';
/** The pages of wings that players read: those about a publication, and a proof. */
const OF_WINGS = 'src/wings/liabilities/pages/p*.ts';

/** Errors are for programs: in the log, and as problems in the API. Pages say the reason of a problem, which is a code. */
const FOR_PROGRAMS = /new (?:Error|Refusal|Problem)\([\s\S]*?\)[;,]/g;

/** Who speaks English whatever the reader's language: consoles, commands, the API's problems, and what a start begins with. */
const ENGLISH =
  /^src\/(?:cli\/|words\/|wings\/(?!liabilities\/pages\/p)|pages\/consoles\/|pages\/home\/tour\.ts|api\/openapi\/|features\/attempts\/throttle\.ts|features\/operator-actions\/deeds\/|web\/(?:assets|shell)\.ts)/;

/** An import of a language's file. */
const A_LANGUAGE = new RegExp(`/words/(?:${LOCALES.join('|')})\\.ts'`, 'i');

/** Not a named group of a regular expression. */
const TAG = /(?<!\(\?)<[a-z/!]/i;
const TAGS = /<!--[\s\S]*?-->|<[a-z/!][^>]*>|&\w+;/gi;
const SHOWN_ATTRIBUTES = /\b(?:aria-label|title|alt|placeholder)="([^"]*)"/g;
const LETTERS = /\p{L}/u;
/** A sentence or a title: `Sign out`, `Something went wrong.`, `E-mail address` */
const SENTENCE = /^\p{Lu}[\p{Ll}’-]+(?:,? [\p{L}’“”?]+)+[.!?…]?|[\p{L}’]{2} [\p{L}’ ]+[.!…]$|\p{L}’\p{L}/u;
/** What is shown, even if it is one word. */
const LABEL = /\b(?:label|title|hint|heading): '([^']+)'/g;
/** One word that a script could show. Keys have such names too. */
const WORD = /^\p{Lu}\p{Ll}+…?$/u;
/** Names, also of keys. */
const NAMES = new Set(['Escape', 'Enter', 'Tab', 'Samsung Internet']);

/** What a source says by itself, in place of the catalogue. */
function ownWords(source: string): string[] {
  const shown = source.replace(FOR_PROGRAMS, '');
  const labels = new Set([...shown.matchAll(LABEL)].map(([, label]) => label));
  return literalsOf(shown).flatMap((text) => {
    if (labels.has(text)) return [text];
    if (!TAG.test(text)) return SENTENCE.test(text) && !NAMES.has(text) ? [text] : [];
    const attributes = [...text.matchAll(SHOWN_ATTRIBUTES)].map(([, value = '']) => value);
    return [text.replace(TAGS, ''), ...attributes].filter((shown) => LETTERS.test(shown)).map((shown) => shown.trim());
  });
}

/** What a script of a page says by itself. */
function ownWordsOfScript(source: string): string[] {
  return literalsOf(source).filter((text) => (SENTENCE.test(text) || WORD.test(text)) && !NAMES.has(text));
}

function faults(pattern: string, find: (source: string) => string[]): string[] {
  const paths = globSync(pattern, { cwd: root }).map((path) => path.replaceAll('\\', '/'));
  assert.ok(paths.length > 0, `there is no ${pattern}`);
  return paths
    .filter((path) => !EXEMPT.test(path))
    .flatMap((path) => find(readFileSync(join(root, path), 'utf8')).map((text) => `${path}: ${text}`))
    .sort();
}

test('every sentence that players read is in the catalogue', () => {
  for (const pattern of ['src/pages/**/*.ts', OF_WINGS, 'src/web/*.ts', FEATURES, VIEWS, 'src/identity/*.ts']) {
    assert.deepEqual(faults(pattern, ownWords), []);
  }
  assert.deepEqual(faults('src/web/assets/*.js', ownWordsOfScript), []);
});

test('players’ pages, features and stores name no language', () => {
  const named = globSync('src/**/*.ts', { cwd: root })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => A_LANGUAGE.test(readFileSync(join(root, path), 'utf8')));
  assert.deepEqual(
    named.filter((path) => !ENGLISH.test(path)),
    [],
  );
});

test('no sentence stands twice in the catalogue', () => {
  const sentences = literalsOf(readFileSync(join(root, 'words/en.ts'), 'utf8')).filter((text) =>
    /^\p{Lu}.* .*\.$/u.test(text),
  );
  assert.deepEqual([...new Set(sentences)], sentences);
});

test('a sentence outside the catalogue is found', () => {
  const found: [source: string, said: string[]][] = [
    ['html`<p>Hello</p>`', ['Hello']],
    ['html`<h1>#{title}</h1><p>#{text} now</p>`', ['?? now']],
    ['html`<nav aria-label="Your pages">#{links}</nav>`', ['Your pages']],
    ['html`<p>#{open && html`<b>Open</b>`}</p>`', ['Open']],
    [`layout(frame, 'Sign out', main)`, ['Sign out']],
    [`const text = 'Nothing was changed.'`, ['Nothing was changed.']],
    ['html`<input name="email" required#{fixed && html` readonly`}> · #{brand}`', []],
    [`field({ name: 'email', label: 'E-mail address' })`, ['E-mail address']],
    [`field({ label: 'Password', hint: words.hint })`, ['Password']],
    [`summary('E-mail address', email)`, ['E-mail address']],
    [`throw new Problem('not-found', 'There is no such request.');`, []],
    ['// It says nothing.\nreply.header("content-type", `default-src \'none\'`)', []],
  ];
  for (const [source, said] of found) assert.deepEqual(ownWords(source.replaceAll('#{', '${')), said, source);
  assert.deepEqual(ownWordsOfScript(`say('Show'); if (key === 'Escape') close('It’s closed')`), [
    'Show',
    'It’s closed',
  ]);
});
