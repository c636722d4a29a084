/** A result for the game, in the fields of the public interface. */
export type ResultFields = Readonly<Record<string, string | boolean>>;

/**
 * The registered redirect address with the result in its query. `state`: the game's value, returned unchanged (RFC 6749, section
 * 4.1.2).
 *
 * It is built by hand, because a URL parser would rewrite addresses such as `com.acme.game://`, which clients compare as text.
 * Everything but printable ASCII is percent-encoded, so that nothing in it can end the header.
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
 * Shipped clients decode the whole query before they split it, so a value cannot contain `?`, `&` or `=`. A value in base64url
 * (codes, proofs) is never shortened.
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
 * The CSP sources (form-action) that let a form redirect to this address: its scheme.
 *
 * Its origin would not be enough, because Chromium applies form-action to every hop of a redirect. If the game's site redirects to
 * another site or into its own app, the player would stay on our page. It would look as if nothing had happened, although quarters
 * have moved. So a web address also allows the private-use schemes that the app has registered (`others`).
 */
export function formTargets(registered: string, others: readonly string[]): readonly string[] {
  const { protocol } = new URL(registered);
  const own = others.map((uri) => new URL(uri).protocol).filter((scheme) => !isWeb(scheme));
  return [...new Set(isWeb(protocol) ? [protocol, ...own] : [protocol])];
}

function isWeb(scheme: string): boolean {
  return scheme === 'https:' || scheme === 'http:';
}
