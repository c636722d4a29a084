/**
 * Control characters, and characters that nobody sees. Joiners (U+200C, U+200D) are none of them where they join: after a letter of a
 * script that needs them, a mark, or a picture (`👨‍👩‍👧`).
 */
const UNPRINTABLE =
  /[\p{Cc}\p{Zl}\p{Zp}]|[^\P{Cf}\u200c\u200d]|(?<![\p{M}\p{Extended_Pictographic}\p{Emoji_Modifier}]|[^\P{L}\p{sc=Latn}\p{sc=Grek}\p{sc=Cyrl}])[\u200c\u200d]/gu;

/** Makes text by others safe for one line of a terminal or a log: it cannot move the cursor, colour anything or reverse its direction. */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, '\u{fffd}');
}
