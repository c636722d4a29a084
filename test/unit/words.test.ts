import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { literalsOf } from '../../scripts/source-text.ts';
import { languageOf, languagesWith } from '../../src/words/languages.ts';
import type { Words } from '../../src/words/words.ts';

const root = join(import.meta.dirname, '../..');
const { all } = languagesWith('en');
const wordsOf = (tag: string) => languageOf(languagesWith('en'), tag) ?? assert.fail(tag);

/** What a language's file says, piece by piece. */
const literals = (tag: string) =>
  literalsOf(readFileSync(join(root, `words/${tag.toLowerCase()}.ts`), 'utf8')).map(String);

type Sentence = { readonly key: string; readonly said: unknown };

function sentencesOf(part: unknown, key = ''): Sentence[] {
  if (typeof part !== 'object' || part === null) return [{ key, said: part }];
  return Object.entries(part).flatMap(([name, value]) => sentencesOf(value, key ? `${key}.${name}` : name));
}

type Sentences = (...values: unknown[]) => unknown;
const functionsOf = (words: Words) =>
  sentencesOf(words).flatMap(({ key, said }) => (typeof said === 'function' ? [{ key, say: said as Sentences }] : []));

/** What it says of these values. Null: they are none of its. */
function tryToSay(say: Sentences, values: readonly unknown[]): string | null {
  try {
    return String(say(...values));
  } catch {
    return null;
  }
}

/** Phrases that were there once, each with what is wrong with it. */
const NOT_SAID: Readonly<Record<string, readonly (readonly [phrase: RegExp, why: string])[]>> = {
  de: [
    [/ohne Nachfrage/, 'demand is not a question: “ohne dich zu fragen”'],
    [/(?<!Downloads )auf einmal/, 'means suddenly, or all together: “pro Zahlung”'],
    [/abfangen/, 'a passkey is not intercepted: “schützt dich vor Phishing”'],
    [/^Danach$/, 'is also “after you approve”: “Guthaben danach”'],
    [/angemeldet(?:es)? Spiel|Spiel anmelden/, 'an account signs in (anmelden), a game is registered'],
    [/\bnehmen\./, 'what takes money says “abbuchen”'],
  ],
  fr: [
    [/à la fois et/, 'means at the same time: “par paiement”'],
    [/^Quitter$/, 'leaves the page: “Déconnexion”'],
    [/jusqu’à <|jusqu’à \$\{(?:once|most|atATime)\}(?!\.)/, 'stands before the date too: “au maximum”'],
    [/limites? de dépense\b/, 'the field says “dépenses”'],
  ],
  es: [
    [/cada vez y/, 'does not say of what: “por pago”'],
    [/no has cobrado/, '“cobrar” is also what the game does: “no has recibido nada”'],
    [/Has entrado|Sigues dentro|^Salir$/, 'enters a room: “iniciar sesión”, “cerrar sesión”'],
    [/hasta <|hasta \$\{(?:once|most|atATime)\}(?!\.)/, 'stands before the date too: “un máximo de”'],
  ],
  'pt-BR': [
    [/por vez e/, 'does not say of what: “por pagamento”'],
    [/tesouro/i, 'is a treasure: “tesouraria”'],
    [/até <|até \$\{(?:once|most|atATime)\}(?!\.)/, 'stands before the date too: “no máximo”'],
    [/não entra(?:m)? mais/, 'a key does not enter: “não serve mais para entrar”'],
  ],
  ja: [
    [/まで使えます/, 'softens that money is taken: 引き落とせます'],
    [/個の(?:ゲーム|アカウント|ブラウザー)/, 'games, accounts and browsers are counted with 件'],
    [/ログインと安全/, 'the field says セキュリティ'],
    [/あなただとわかる/, 'the field says 識別する'],
    [/パスワードを変え/, 'the field says 変更'],
  ],
  ar: [
    [/حتى \$\{(?:once|most|atATime|characters)|حتى <|حتى (?:ساعة|يوم) /, 'means until: “ما يصل إلى”'],
    [/إنفاق (?:quarters|كوارترات\b(?!ك))/, 'does not say whose'],
    [/يُؤخذ/, 'the field says “يُخصم”'],
  ],
};
test('no language says again what no native reader would say', () => {
  for (const [tag, phrases] of Object.entries(NOT_SAID)) {
    const said = literals(tag);
    const faults = phrases.flatMap(([phrase, why]) =>
      said.filter((text) => phrase.test(text)).map((text) => `${text}: ${why}`),
    );
    assert.deepEqual(faults, [], tag);
  }
});

test('the unit is a noun of each language: with a capital in German, in own letters in Japanese and Arabic', () => {
  for (const [tag, unit] of [
    ['de', /\bquarters?\b/],
    ['ja', /\bquarters?\b/i],
    ['ar', /\bquarters?\b/i],
  ] as const) {
    // The pieces of the file, because some functions say nothing of made-up values. Codes of problems are no text.
    const said = literals(tag).filter((text) => !/^[a-z]+(?:-[a-z]+)+$/.test(text));
    assert.ok(said.length > 500);
    assert.deepEqual(
      said.filter((text) => unit.test(text)),
      [],
      tag,
    );
    for (const { key, say } of functionsOf(wordsOf(tag))) {
      assert.doesNotMatch(tryToSay(say, [5n, 5n, 5n, 5n]) ?? '', unit, `${tag}: ${key}`);
    }
  }
  const said = (tag: string, ...amounts: bigint[]) => amounts.map((amount) => wordsOf(tag).quarters(amount));
  assert.deepEqual(said('de', 0n, 1n, 1_234n), ['0 Quarters', '1 Quarter', '1.234 Quarters'].map(wide));
  assert.deepEqual(said('ja', 1n, 1_234n), ['1クォーター', '1,234クォーター']);
  assert.deepEqual(
    said('ar', 0n, 1n, 2n, 3n, 11n, 100n),
    ['0 كوارتر', '1 كوارتر', '2 كوارتر', '3 كوارترات', '11 كوارترًا', '100 كوارتر'].map(wide),
  );
});

/** No line ends between a number and its unit. */
const wide = (text: string) => text.replace(' ', '\u00a0');

test('an exact million is followed by “de” in French, Spanish and Portuguese, wherever it stands before the unit', () => {
  for (const tag of ['fr', 'es', 'pt-BR']) {
    const words = wordsOf(tag);
    assert.deepEqual([1_000_000n, 2_000_000n, 1_000_001n, 5n].map(words.unit), [
      'de quarters',
      'de quarters',
      'quarters',
      'quarters',
    ]);
    const bare = new RegExp(`${words.number(1_000_000n)}(?:</strong>)?\\squarters`);
    const counted = functionsOf(words).filter(({ say }) => /\squarters/.test(tryToSay(say, [7n, 7n, 7n, 7n]) ?? ''));
    assert.ok(counted.length > 3);
    for (const { key, say } of counted) {
      assert.doesNotMatch(
        tryToSay(say, [1_000_000n, 1_000_000n, 1_000_000n, 1_000_000n]) ?? '',
        bare,
        `${tag}: ${key}`,
      );
    }
  }
});

/** What other sentences have in their middle. */
const PIECES = [
  'scripts.localTime.today',
  'scripts.localTime.yesterday',
  'signIn.newPassword',
  'signOut.yourAccount',
  'liabilities.account',
  'liabilities.script',
  'account.proof.sums',
  'account.proof.script',
  'account.sessionList.changePassword',
  'account.sessionList.byPasskey',
  'account.sessionList.byPassword',
  'account.sessionList.byCode',
  'account.sessionList.endAccess',
  'account.closing.developerPages',
  'account.closing.exportActivity',
  'account.closing.exportProfile',
  'consent.toGame',
];

test('what stands in the middle of a sentence begins with a small letter', () => {
  for (const words of all) {
    const said = new Map(sentencesOf(words).map(({ key, said }) => [key, said]));
    const pieces = [
      ...PIECES,
      ...[...said.keys()].filter((key) => /^continueForm\.(?:close|change|re|end|some)/.test(key)),
    ];
    for (const key of pieces) {
      const [first = ''] = String(said.get(key) ?? assert.fail(key));
      assert.equal(first, first.toLocaleLowerCase(words.locale), `${words.language}: ${key}`);
    }
  }
});

/** Parameters that are text of others, often in other letters. As a piece of markup, the page isolates it. */
const OF_OTHERS = /^(?:brand|game|guest|name|address|browser|system|inviter|action|code|scheme)$/;

test('in Arabic, text of others is isolated, and no comma is Latin', () => {
  const words = wordsOf('ar');
  for (const { key, say } of functionsOf(words)) {
    const source = say.toString();
    const names = (/^\(?([^)=]*)\)?\s*=>/.exec(source)?.[1] ?? '').split(',').map((name) => name.trim());
    // The actions that it completes are ours.
    if (source.includes('html`') || key === 'continueForm.about') continue;
    names.forEach((name, at) => {
      if (!OF_OTHERS.test(name)) return;
      const text =
        tryToSay(
          say,
          names.map((_, i) => (i === at ? 'Zed' : 'admin')),
        ) ?? assert.fail(key);
      assert.match(text, /\u2068Zed\u2069/, `${key}: ${name}`);
    });
  }
  const commas = literals('ar').filter((text) => /[\u0621-\u064a}],/.test(text));
  assert.deepEqual(commas, []);
  assert.equal(words.scripts.localTime.otherDay, '{day}، {time}');
});

test('an e-mail address in a sentence of a page is isolated', () => {
  const bare = /(?:<(?:p|strong|dd|bdi|small|li)>|\()\$\{readableEmail\(/;
  const players = globSync('src/pages/**/*.ts', { cwd: root });
  assert.ok(players.length > 50);
  assert.deepEqual(
    players.filter((path) => bare.test(readFileSync(join(root, path), 'utf8'))),
    [],
  );
});
