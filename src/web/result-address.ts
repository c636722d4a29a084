/** What a game is told, in the fields the interface names. */
export type ResultFields = Readonly<Record<string, string | boolean>>;

/**
 * The registered redirect address with the result in its query. `state`: what the game gave us to hand back (RFC 6749, section
 * 4.1.2), to the letter.
 *
 * Built by hand: a URL parser would rewrite addresses such as `com.acme.game://`, which clients compare as text. Whatever
 * is not printable ASCII is percent-encoded, so nothing in it can end the header.
 */
export function resultAddress(registered: string, result: ResultFields, state?: string): string {
  const fields = Object.entries(result).map(
    ([name, value]) => `${name}=${encodeURIComponent(splittable(String(value)))}`,
  );
  if (state !== undefined) fields.push(`state=${encodeURIComponent(state.toWellFormed())}`);
  const joint = !registered.includes('?') ? '?' : /[?&]$/.test(registered) ? '' : '&';
  const address = registered.replace(/[^\x21-\x7e]+/g, (text) => encodeURIComponent(text.toWellFormed()));
  return `${address}${joint}${fields.join('&')}`;
}

/**
 * Shipped clients decode the whole query first and split it afterwards: `?`, `&` and `=` can not be in a value at all. What holds
 * letters of base64url alone (codes, proofs) is never cut.
 */
function splittable(value: string): string {
  if (/^[\w.-]+$/.test(value)) return value;
  return value
    .toWellFormed()
    .replace(/[?&=#%+\p{C}]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, 200)
    .toWellFormed();
}

/**
 * The CSP sources (form-action) that let a form be redirected to this address: its scheme.
 *
 * Not its origin: Chromium applies form-action to every hop of a redirect. A game's site that sends the player on, to
 * another site or into its own app, would leave them on our page, which looks as if nothing had happened, though quarters
 * have moved. So a web address brings the private-use schemes along that the app has registered (`others`).
 */
export function formTargets(registered: string, others: readonly string[]): readonly string[] {
  const { protocol } = new URL(registered);
  const own = others.map((uri) => new URL(uri).protocol).filter((scheme) => !isWeb(scheme));
  return [...new Set(isWeb(protocol) ? [protocol, ...own] : [protocol])];
}

function isWeb(scheme: string): boolean {
  return scheme === 'https:' || scheme === 'http:';
}
