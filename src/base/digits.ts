const DIGIT = /\p{Nd}/u;

/** Writes the decimal digits of every script (Unicode category Nd: full-width, Arabic-Indic, …) as 0 to 9, and leaves all else. */
export function asciiDigits(text: string): string {
  return text.replace(/[^\P{Nd}0-9]/gu, (digit) => `${decimalOf(digit.codePointAt(0)!)}`);
}

/** Each script's digits are ten characters in their order, from zero (Unicode Standard, section 4.6). */
function decimalOf(digit: number): number {
  let before = 0;
  while (DIGIT.test(String.fromCodePoint(digit - before - 1))) before++;
  return before % 10;
}
