const MAX_CHARACTERS = 40;

/** What to say where there is no name in it. */
export const DISPLAY_NAME_FAULT = `Use 1 to ${MAX_CHARACTERS} visible characters.`;

/** Normalises a display name to one line; null if nothing of it is visible. */
export function displayNameFrom(text: string): string | null {
  const name = text.normalize('NFC').replace(/\s+/gu, ' ').trim();
  // Emoji and several scripts need joiners. Other invisible characters could reverse the direction of the text behind them.
  if ([...name].length > MAX_CHARACTERS || /[^\P{C}\u200c\u200d]/u.test(name)) return null;
  return /[\p{L}\p{N}\p{P}\p{S}]/u.test(name) ? name : null;
}
