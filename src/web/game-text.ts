import type { Words } from '../words/words.ts';

/**
 * Text from an app (its name, a description), made safe to stand beside our own words.
 *
 * An attacker's text must not turn the reading direction of ours, hide behind invisible characters, grow out of its place with
 * stacked marks, or close the quotation marks around it. Markup is no danger, because the templates escape it. Null: nothing
 * readable is left.
 */
export function gameText(text: string, maxCharacters: number): string | null {
  const clean = text
    .toWellFormed()
    .replace(/[\s\p{Zl}\p{Zp}]+/gu, ' ')
    // Joiners stay, because emoji and several scripts need them.
    .replace(/[^\P{C}\u200c\u200d]|[\u115f\u1160\u2800\u3164\uffa0\ufffc\ufffd]/gu, '')
    .replace(/((?:\p{M}|\u200c|\u200d){4})(?:\p{M}|\u200c|\u200d)+/gu, '$1')
    .replace(/^(?:\p{M}|\u200c|\u200d|\s)+/u, '')
    .replace(/["“”„‟«»″‶ʺ˝＂〝〞〟❝❞「」『』‚‘‹›]/g, '’')
    .trim();
  const characters = [...clean];
  if (!/[\p{L}\p{N}\p{P}\p{S}]/u.test(clean)) return null;
  return characters.length > maxCharacters
    ? `${characters
        .slice(0, maxCharacters - 1)
        .join('')
        .trimEnd()}…`
    : clean;
}

/** An app's name as pages show it. It always stands in quotation marks, because the game chose it. */
export function gameName(words: Words, name: string): string {
  return gameText(name, 60) ?? words.branding.unnamed;
}
