const DIGIT = /\p{Nd}/u;

/** Writes the decimal digits of every script (Unicode category Nd: full-width, Arabic-Indic, …) as 0 to 9, and leaves all else. */
export function asciiDigits(text: string): string {
  return text.replace(/[^\P{Nd}0-9]/gu, (digit) => `${decimalOf(digit.codePointAt(0)!)}`);
}

/**
 * `1000`, or with thousands apart as some language writes them (`1,000`, `1.000`, `1 000`), in digits of any script. Null: no such
 * number, or one of more than 16 digits.
 */
export function typedCount(text: string): bigint | null {
  const digits = asciiDigits(text).trim();
  if (!/^(?:\d{1,16}|\d{1,3}([,.٬’'\s])\d{3}(?:\1\d{3}){0,4})$/.test(digits)) return null;
  return BigInt(digits.replaceAll(/\D/g, ''));
}

/** Each script's digits are ten characters in their order, from zero (Unicode Standard, section 4.6). */
function decimalOf(digit: number): number {
  let before = 0;
  while (DIGIT.test(String.fromCodePoint(digit - before - 1))) before++;
  return before % 10;
}
