import { type PageReason, refusedEntry } from '../base/problems.ts';

/** Shorter words are less than a third of any password that is long enough, so they are not searched for. */
const MIN_CHARACTERS = 4;

/** Words that attackers of this service try first (NIST SP 800-63B, section 3.1.1.2: context-specific words). */
const OURS = ['quarter', 'quarters'];

let loading: Promise<ReadonlySet<string>> | undefined;

/**
 * The most common passwords in breaches, about 49,000, folded by {@link foldPassword}. The first call loads them, so that starting does not
 * wait for them. They then stay in memory: 4 MB.
 */
export function commonPasswords(): Promise<ReadonlySet<string>> {
  loading ??= load();
  return loading;
}

async function load(): Promise<ReadonlySet<string>> {
  const { dictionary } = await import('@zxcvbn-ts/language-common');
  const listed = dictionary['passwords-common'].map(foldPassword);
  return new Set([...OURS, ...listed.filter((password) => password.length >= MIN_CHARACTERS)]);
}

/** The form in which passwords are compared with words: without differences of case and Unicode encoding. */
function foldPassword(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}

/** OWASP ASVS 4.0, 2.1.1 and 2.1.2: in Unicode characters. Consecutive spaces count as one. */
export const MIN_PASSWORD_CHARACTERS = 12;
const MAX_CHARACTERS = 128;

/** Shorter names and addresses occur in too many good passwords. */
const MIN_OWN_CHARACTERS = 4;
/** Shorter runs of keys are no pattern. A shorter text that is repeated always is one. */
const MIN_PATTERN_CHARACTERS = 6;
const ROWS = ['012345678901234567890123456789', 'abcdefghijklmnopqrstuvwxyz', 'qwertyuiopasdfghjklzxcvbnm'];
/** A password counts as a word if the rest is at most two thirds of it: `dragon2024!!!`. */
const LEAST_SHARE_OF_WORD = 1 / 3;

/** The owner of the password. Their address and name must not be their password. */
export type PasswordOwner = { readonly email: string; readonly displayName: string };

/**
 * What is wrong with a new password; null if nothing is. Every form that sets a password checks this. Sign-in
 * does not: a password that was set under other rules works until it is changed. All characters are allowed, and none is required (ASVS
 * 2.1.4, 2.1.9).
 */
export async function passwordFault(text: string, owner: PasswordOwner): Promise<PageReason | null> {
  const spaced = text.normalize('NFKC').replace(/\s+/gu, ' ');
  const { length } = [...spaced];
  if (length < MIN_PASSWORD_CHARACTERS) return { code: 'password-too-short', number: MIN_PASSWORD_CHARACTERS };
  if (length > MAX_CHARACTERS) return { code: 'password-too-long', number: MAX_CHARACTERS };
  const folded = foldPassword(spaced);
  // Treats `pass word` as `password`.
  const spellings = [folded, bare(folded)].flatMap((one) => [one, coreOf(one)]);
  if (ownWords(owner).some((word) => spellings.some((one) => comesTo(one, word)))) return { code: 'password-own' };
  if (spellings.some(isPattern)) return { code: 'password-common' };
  const common = await commonPasswords();
  const words = spellings.flatMap((one) => [repeatedPart(one), ...withoutEnds(one)]);
  return words.some((word) => common.has(word)) ? { code: 'password-common' } : null;
}

/** Throws `invalid-input` for what {@link passwordFault} finds. */
export async function requireGoodPassword(text: string, owner: PasswordOwner): Promise<void> {
  const fault = await passwordFault(text, owner);
  if (fault !== null) throw refusedEntry(['/password', fault]);
}

function ownWords({ email, displayName }: PasswordOwner): string[] {
  const [address, name] = [foldPassword(email), foldPassword(displayName)];
  const words = [address, address.slice(0, address.lastIndexOf('@')), name, ...name.split(' ')];
  return words.flatMap((word) => [word, bare(word)]).filter((word) => [...word].length >= MIN_OWN_CHARACTERS);
}

/** Whether the text is the word, once or repeated, with only a few digits and punctuation marks around it. */
function comesTo(text: string, word: string): boolean {
  const around = text.split(word).join('');
  return (
    text.includes(word) && !/\p{L}/u.test(around) && text.length - around.length >= text.length * LEAST_SHARE_OF_WORD
  );
}

/** Only the letters and digits. */
function bare(text: string): string {
  return text.replace(/[^\p{L}\p{M}\p{N}]/gu, '');
}

/** The part from the first letter to the last; the whole text if that part is too small. */
function coreOf(text: string): string {
  const core = text.slice(beforeLetters(text), text.length - afterLetters(text));
  return core.length < text.length * LEAST_SHARE_OF_WORD ? text : core;
}

/** All texts that remain without some or all of the digits and punctuation before the first letter and after the last. */
function withoutEnds(text: string): string[] {
  const [before, after] = [beforeLetters(text), afterLetters(text)];
  if (before === text.length) return [text];
  const parts: string[] = [];
  for (let start = 0; start <= before; start++) {
    const least = start + text.length * LEAST_SHARE_OF_WORD;
    for (let end = text.length; end >= text.length - after && end >= least; end--) parts.push(text.slice(start, end));
  }
  return parts;
}

const beforeLetters = (text: string) => /^\P{L}*/u.exec(text)![0].length;
const afterLetters = (text: string) => text.length - text.search(/\P{L}*$/u);

function isPattern(text: string): boolean {
  const part = repeatedPart(text);
  if (part !== text && part.length < MIN_PATTERN_CHARACTERS) return true;
  const backwards = [...text].reverse().join('');
  return text.length >= MIN_PATTERN_CHARACTERS && ROWS.some((row) => row.includes(text) || row.includes(backwards));
}

/** `abc` of `abcabcab`; the whole text if no part of it is repeated. */
function repeatedPart(text: string): string {
  for (let length = 1; length <= text.length / 2; length++) {
    if (text.startsWith(text.slice(length))) return text.slice(0, length);
  }
  return text;
}
