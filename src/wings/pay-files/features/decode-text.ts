/**
 * Text as people's programs save it: UTF-8, or UTF-16 in either order of bytes, with or without a byte order mark, which is left out. Null if
 * it is neither.
 */
export function decodeText(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder(encodingOf(bytes), { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

function encodingOf([first, second]: Uint8Array): string {
  // A mark, or one half of a letter of ASCII, which UTF-8 never has a zero beside.
  if ((first === 0xff && second === 0xfe) || (first !== 0 && second === 0)) return 'utf-16le';
  if ((first === 0xfe && second === 0xff) || (first === 0 && second !== 0)) return 'utf-16be';
  return 'utf-8';
}
