const MAX_CHARACTERS = 40;

/** What to say where there is no name in it. */
export const DISPLAY_NAME_FAULT = `Use 1 to ${MAX_CHARACTERS} visible characters.`;

/** The display name in what somebody typed: in one form, on one line; null where nobody could read it. */
export function displayNameFrom(text: string): string | null {
  const name = text.normalize('NFC').replace(/\s+/gu, ' ').trim();
  // Joiners are part of emoji and of several scripts; other invisible characters could turn the direction of what follows.
  if ([...name].length > MAX_CHARACTERS || /[^\P{C}\u200c\u200d]/u.test(name)) return null;
  return /[\p{L}\p{N}\p{P}\p{S}]/u.test(name) ? name : null;
}
