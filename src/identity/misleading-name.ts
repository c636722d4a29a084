import { plainName, skeletonOf, wordsOfName } from './name-letters.ts';

/** Words that only we may use: our name, and those for apps that we have verified. */
const RESERVED = ['Quarters', 'official', 'verified', 'localhost'];

/** Names of these words alone read as those of somebody who works for us. */
const STAFF = new Set(
  [
    ...'account accounts admin admins administrator billing care center centre customer customers desk help'.split(' '),
    ...'helpdesk helpline mod moderator moderators payment payments safety security service services staff'.split(' '),
    ...'support system team the wallet your our'.split(' '),
  ].map(skeletonOf),
);

/** Players would take these for our verification. */
const CHECK_MARKS = /[\u2611\u2705\u2713\u2714\u221a\u{1f5f8}\u{1f5f9}]/u;

/** Also what a browser reads as a full stop of a host. */
const STOP = '[.\\u3002]';
/** A scheme, `www.`, a host with a domain, as in an e-mail address, or a host by its number. */
const ADDRESS = new RegExp(
  [
    String.raw`:\/\/`,
    String.raw`\bhttps?\b`,
    String.raw`\b(?:ftp|mailto|tel|sms|javascript):\S`,
    String.raw`\bwww${STOP}`,
    String.raw`[\p{L}\p{N}]\p{M}*[.][\p{L}\p{M}]{2,}`,
    String.raw`[\p{L}\p{N}]\p{M}*\u3002[a-z]{2,}`,
    String.raw`\d${STOP}\d+${STOP}\d+${STOP}\d`,
  ].join('|'),
  'iu',
);

/** What may stand for a letter, besides what looks like it anyway: `Qu4rter$`. */
const DIGITS = new Map([...'3456789'].map((digit, i) => [digit, 'easgtbg'.charAt(i)]));
const SYMBOLS = new Map([...'@$€!'].map((symbol, i) => [symbol, 'asel'.charAt(i)]));
const FIGURES: readonly ReadonlyMap<string, string>[] = [new Map(), DIGITS, new Map([...DIGITS, ...SYMBOLS])];

/** Where a player may see the end of a word within it: nowhere; at a capital and at every number; at the numbers around a word. */
const SPLITS = [
  /(?!)/gu,
  /(?<=\p{Ll})(?=\p{Lu})|(?<=\p{N})(?=\p{L})|(?<=\p{L})(?=\p{N})/gu,
  /(?<=\p{Ll})(?=\p{Lu})|(?<=(?<!\p{L}\p{N}*)\p{N})(?=\p{L})|(?<=\p{L})(?=\p{N}+(?!\p{N}*\p{L}))/gu,
];

/**
 * What a name pretends to be, as the end of a sentence; null if nothing. Names stand in our pages and mails next to our own words, so they
 * must read neither as an address nor as us. `ours`: further names of ours, as the operator's brand.
 */
export function misleadingNameFault(name: string, ours: readonly string[] = []): string | null {
  if (readsAsAddress(name))
    return 'must not read as an address: leave out the scheme, or put a space after the full stop';
  if (CHECK_MARKS.test(name)) return 'must not hold a check mark: players would take it for ours';
  const readings = readingsOf(name);
  const said = [...RESERVED, ...ours].find((word) => {
    const wanted = wordsOfName(word).map(looksOf).join('');
    return wanted !== '' && readings.some((words) => saysWord(words, wanted));
  });
  if (said) return `must not hold “${said}”, or what looks like it: players would take it for ours`;
  const isStaff = readings.some((words) => words.length > 0 && words.every((word) => STAFF.has(word)));
  return isStaff ? 'must not read as the name of our staff' : null;
}

/** Whether programs that show a name may make a link of it, or a part of it. */
export function readsAsAddress(name: string): boolean {
  return ADDRESS.test(plainName(name));
}

/** The words of a name by their looks, in all ways in which a player may read them. */
function readingsOf(name: string): string[][] {
  const plain = plainName(name);
  return SPLITS.flatMap((split) =>
    FIGURES.map((figures) => {
      const figured = [...plain.replace(split, ' ')].map((character) => figures.get(character) ?? character);
      return wordsOfName(figured.join('')).map(looksOf);
    }),
  );
}

/** Without any marks: a letter of ours with one is still read as ours. */
function looksOf(word: string): string {
  return skeletonOf(word).replace(/\p{M}/gu, '');
}

/** Also finds a word that is spaced out: `Q u a r t e r s`. */
function saysWord(words: readonly string[], wanted: string): boolean {
  return words.some((_, i) => {
    let run = '';
    for (const word of words.slice(i)) {
      run += word;
      if (run === wanted) return true;
      if (!wanted.startsWith(run)) return false;
    }
    return false;
  });
}
