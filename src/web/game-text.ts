/**
 * Text an app has given (its name, a description), made fit to stand beside our own words.
 *
 * An attacker's text must not be able to turn the reading direction of ours, hide behind invisible characters, grow out of
 * its place by stacked marks, or close the quotation marks we set around it. Markup is no danger here: the templates escape.
 * Returns null where nothing readable is left.
 */
export function gameText(text: string, maxCharacters: number): string | null {
  const clean = text
    .toWellFormed()
    .replace(/[\s\p{Zl}\p{Zp}]+/gu, ' ')
    // Joiners stay: emoji and several scripts are spelled with them.
    .replace(/[^\P{C}\u200c\u200d]|[\u115f\u1160\u2800\u3164\uffa0\ufffc\ufffd]/gu, '')
    .replace(/((?:\p{M}|\u200c|\u200d){4})(?:\p{M}|\u200c|\u200d)+/gu, '$1')
    .replace(/^(?:\p{M}|\u200c|\u200d|\s)+/u, '')
    .replace(/["“”„‟«»″‶ʺ˝＂〝〞〟❝❞]/g, '’')
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

/** An app's name as pages show it; always within quotation marks, for it is the game's word and not ours. */
export function gameName(name: string): string {
  return gameText(name, 60) ?? 'a game without a name';
}
