export const MAX_NAME_CHARACTERS = 80;

/** Words that only we may use: our name, and those for apps that we have verified. */
const RESERVED = ['Quarters', 'official', 'verified'];

/** Players would take these for our verification. */
const CHECK_MARKS = /[\u2611\u2705\u2713\u2714\u221a\u{1f5f8}\u{1f5f9}]/u;

const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{Cf}]/gu;
const WORD = /[\p{L}\p{M}\p{N}]+/gu;

/**
 * Letters that look like Latin ones (a small part of Unicode's confusables, UTS #39, section 4). Case is kept: a capital may look like
 * another letter than its lower case does.
 */
const LOOK_ALIKES = new Map(
  [
    // Cyrillic.
    ['АВСЕНІЈКМОРЅТУҮХԌԚԜѴӀЬ', 'ABCEHIJKMOPSTYYXGQWVlb'],
    ['авсԁенһіјкморԛгѕтуүѵԝхӏьпԍ', 'abcdehhijkmopqrstyyvwxlbng'],
    // Greek.
    ['ΑΒΕΖΗΙΚΜΝΟΡΤΥΧ', 'ABEZHIKMNOPTYX'],
    ['αβγεζηικνορσςτυχωμ', 'abyeznikvopoctuxwu'],
    // Armenian.
    ['օոսհցյզՕՍ', 'onuhgjqOU'],
    // Latin itself: small capitals, letters without a dot, digits.
    ['ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢɑɡıȷʟ', 'abcdefghijklmnoprstuvwyzagijl'],
    ['01|', 'oll'],
  ].flatMap(([from = '', to = '']) => [...from].map((letter, i) => [letter, to[i]!] as const)),
);

/** Letters in squares, circles and flags, which Unicode does not normalise to letters. Each range is A to Z. */
const LETTER_SYMBOLS = [0x1f150, 0x1f170, 0x1f1e6];

/** Scripts with letters that look alike. A word may use one of them, alone or together with East Asian scripts. */
const ALIKE_SCRIPTS = ['Latin', 'Greek', 'Cyrillic', 'Armenian', 'Cherokee', 'Coptic', 'Lisu'];
const EAST_ASIAN = String.raw`\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Bopo}`;
const ONE_SCRIPT = ALIKE_SCRIPTS.map(
  (script) => new RegExp(String.raw`^[\p{scx=${script}}${EAST_ASIAN}\p{sc=Zyyy}\p{sc=Zinh}]+$`, 'u'),
);
const ANY_ALIKE = new RegExp(`[${ALIKE_SCRIPTS.map((script) => String.raw`\p{sc=${script}}`).join('')}]`, 'u');

/**
 * What is wrong with an app's name, as the end of a sentence; null if nothing is. Names appear in mails, on pages and in terminals, so they
 * are one line. They appear next to our own words, so they must not contain these.
 */
export function appNameFault(name: string): string | null {
  const length = [...name].length;
  if (length < 1 || length > MAX_NAME_CHARACTERS) return `must have 1 to ${MAX_NAME_CHARACTERS} characters`;
  if (/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u.test(name)) return 'must be one line of text, without control characters';
  const words = wordsOf(name);
  if (words.some(mixesScripts)) return 'must not mix letters of several alphabets within a word';
  if (CHECK_MARKS.test(name)) return 'must not hold a check mark: players would take it for ours';
  const said = RESERVED.find((word) => saysWord(words.map(skeletonOf), skeletonOf(word)));
  return said ? `must not hold “${said}”, or what looks like it: players would take it for ours` : null;
}

/** Whether players may confuse two names. Ignores spaces, punctuation and case, and compares letters by their looks. */
export function looksLike(one: string, other: string): boolean {
  return folded(one) === folded(other) || (skeleton(one) !== '' && skeleton(one) === skeleton(other));
}

/** The letters of a name by their looks. */
function skeleton(name: string): string {
  return skeletonOf(wordsOf(name).join(''));
}

function folded(name: string): string {
  return name.normalize('NFKC').replace(INVISIBLE, '').toLowerCase();
}

function wordsOf(name: string): string[] {
  const plain = [...name.normalize('NFKC').replace(INVISIBLE, '')].map(plainLetter).join('');
  return plain.match(WORD) ?? [];
}

function plainLetter(character: string): string {
  const code = character.codePointAt(0)!;
  const start = LETTER_SYMBOLS.find((first) => code >= first && code < first + 26);
  return start === undefined ? character : String.fromCharCode(65 + code - start);
}

/** A word by its looks: without accents, each letter replaced by the Latin one it resembles. */
function skeletonOf(word: string): string {
  const bare = word.normalize('NFKD').replace(/[\u0300-\u036f]/g, '');
  const latin = [...bare].map((letter) => LOOK_ALIKES.get(letter) ?? letter).join('');
  return latin.toLowerCase().replaceAll('i', 'l').replaceAll('rn', 'm').replaceAll('vv', 'w');
}

function mixesScripts(word: string): boolean {
  return ANY_ALIKE.test(word) && !ONE_SCRIPT.some((pattern) => pattern.test(word));
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
