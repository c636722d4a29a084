/** Which wings an installation has: those of `only`, or all `but` some. */
export type WingChoice = { readonly only: readonly string[] } | { readonly but: readonly string[] };

const NAME = /^(?!(all|none)$)[a-z]+(-[a-z]+)*$/;

/** Reads `all`, `none`, names such as `doctor,economy`, or what is left out of all: `-doctor,-economy`. */
export function parseWings(text: string): WingChoice {
  if (text === 'all') return { but: [] };
  if (text === 'none') return { only: [] };
  const parts = text.split(',').map((part) => part.trim());
  const isLeftOut = parts.every((part) => part.startsWith('-'));
  const names = isLeftOut ? parts.map((part) => part.slice(1)) : parts;
  if (names.every((name) => NAME.test(name))) return isLeftOut ? { but: names } : { only: names };
  throw new Error(
    `must be all, none, names such as doctor,economy, or -doctor,-economy for all but those, not "${text}"`,
  );
}
