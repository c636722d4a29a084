import { misleadingNameFault } from './misleading-name.ts';
import { plainName, skeletonOf, wordsOfName } from './name-letters.ts';

export const MAX_NAME_CHARACTERS = 80;

/** Scripts with letters that look alike. A word may use one of them, alone or together with East Asian scripts. */
const ALIKE_SCRIPTS = ['Latin', 'Greek', 'Cyrillic', 'Armenian', 'Cherokee', 'Coptic', 'Lisu'];
const EAST_ASIAN = String.raw`\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Bopo}`;
const ONE_SCRIPT = ALIKE_SCRIPTS.map(
  (script) => new RegExp(String.raw`^[\p{scx=${script}}${EAST_ASIAN}\p{sc=Zyyy}\p{sc=Zinh}]+$`, 'u'),
);
const ANY_ALIKE = new RegExp(`[${ALIKE_SCRIPTS.map((script) => String.raw`\p{sc=${script}}`).join('')}]`, 'u');

/**
 * What is wrong with an app's name, as the end of a sentence; null if nothing is. Names appear in mails, on pages and in terminals, so they
 * are one line. `ours`: names of this service, as its brand.
 */
export function appNameFault(name: string, ours: readonly string[] = []): string | null {
  const length = [...name].length;
  if (length < 1 || length > MAX_NAME_CHARACTERS) return `must have 1 to ${MAX_NAME_CHARACTERS} characters`;
  if (/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u.test(name)) return 'must be one line of text, without control characters';
  if (wordsOfName(name).some(mixesScripts)) return 'must not mix letters of several alphabets within a word';
  return misleadingNameFault(name, ours);
}

/** Whether players may confuse two names. Ignores spaces, punctuation and case, and compares letters by their looks. */
export function looksLike(one: string, other: string): boolean {
  return folded(one) === folded(other) || (skeleton(one) !== '' && skeleton(one) === skeleton(other));
}

/** The letters of a name by their looks. */
function skeleton(name: string): string {
  return skeletonOf(wordsOfName(name).join(''));
}

function folded(name: string): string {
  return plainName(name).toLowerCase();
}

function mixesScripts(word: string): boolean {
  return ANY_ALIKE.test(word) && !ONE_SCRIPT.some((pattern) => pattern.test(word));
}
