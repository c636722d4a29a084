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
    // Latin itself: small capitals, letters without a dot, with a stroke or a hook, digits.
    ['ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢɑɡıȷʟ', 'abcdefghijklmnoprstuvwyzagijl'],
    ['øđðħłŧƀɇɍʠɋꝗꝙʉʋɖɗɛɘƨʂʈƫɠɦɨɩƙɱŋɲɵƥ', 'oddhltberqqqquuddeessttghiikmnnop'],
    ['ØĐĦŁŦɃɆɌ', 'ODHLTBER'],
    ['01|', 'oll'],
  ].flatMap(([from = '', to = '']) => [...from].map((letter, i) => [letter, to[i]!] as const)),
);

/** Letters in squares, circles and flags, which Unicode does not normalise to letters. Each range is A to Z. */
const LETTER_SYMBOLS = [0x1f150, 0x1f170, 0x1f1e6];

/** A name with plain letters and punctuation in place of styled ones, and without the characters that nobody sees. */
export function plainName(name: string): string {
  return [...name.normalize('NFKC').replace(INVISIBLE, '')].map(plainLetter).join('');
}

export function wordsOfName(name: string): string[] {
  return plainName(name).match(WORD) ?? [];
}

function plainLetter(character: string): string {
  const code = character.codePointAt(0)!;
  const start = LETTER_SYMBOLS.find((first) => code >= first && code < first + 26);
  return start === undefined ? character : String.fromCharCode(65 + code - start);
}

/** A word by its looks: without accents, each letter replaced by the Latin one it resembles. */
export function skeletonOf(word: string): string {
  const bare = word.normalize('NFKD').replace(/[\u0300-\u036f]/g, '');
  const latin = [...bare].map((letter) => LOOK_ALIKES.get(letter) ?? letter).join('');
  return latin.toLowerCase().replaceAll('i', 'l').replaceAll('rn', 'm').replaceAll('vv', 'w');
}
