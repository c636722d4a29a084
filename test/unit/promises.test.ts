import assert from 'node:assert/strict';
import { test } from 'node:test';
import { languagesWith } from '../../src/words/languages.ts';
import type { Words } from '../../src/words/words.ts';

/** What each language calls what lets a game take quarters without asking. */
const SPENDING_LIMIT: Readonly<Record<string, RegExp>> = {
  en: /spending limit/,
  de: /Ausgabenlimit/,
  fr: /limite de dépense/,
  es: /límite de gasto/,
  'pt-BR': /limite de gastos/,
  ja: /利用上限/,
  ar: /حد إنفاق/,
};

/** What says when a game has to ask. Approving a payment can give a limit, so none of them may say "always". */
const SAYS_WHEN: readonly ((words: Words) => string)[] = [
  ({ home }) => home.payment.approve.about,
  ({ guest }) => guest.kept,
  ({ consent }) => consent.scopes.requests,
];

/** What each language calls an account. Who holds the tokens of a guest can spend what the guest has, so that promise is of accounts alone. */
const ACCOUNT: Readonly<Record<string, RegExp>> = {
  en: /your account/,
  de: /deinem Konto/,
  fr: /ton compte/,
  es: /tu cuenta/,
  'pt-BR': /sua conta/,
  ja: /アカウント/,
  ar: /حسابك/,
};

test('the start page promises of accounts, and of nobody else, that a game asks, in each language', () => {
  for (const words of languagesWith('en').all) {
    assert.match(words.home.payment.approve.about, ACCOUNT[words.language]!, words.language);
  }
});

test('what says that a game asks also names what lets it take quarters without asking, in each language', () => {
  for (const words of languagesWith('en').all) {
    for (const says of SAYS_WHEN) assert.match(says(words), SPENDING_LIMIT[words.language]!, words.language);
  }
});
