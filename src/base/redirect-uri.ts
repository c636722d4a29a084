/** Scheme, authority and the rest of an http address that a browser need not repair. */
const HTTP = /^(https?):\/\/([^/?#\\@]+)((?:[/?#].*)?)$/i;
/** Browsers drop or escape these, depending on where they stand. */
const REPAIRED = /[\s\p{Cc}]/u;
/** RFC 3986, section 3.1. */
const SCHEME = /^[a-z][a-z0-9+.-]*:/i;

/**
 * The form in which redirect addresses are stored and compared, letter by letter (RFC 9700, section 4.1.3). Of http addresses scheme, host and
 * port are written as browsers write them: lower case, Punycode, no default port (WHATWG URL). Of all others the scheme alone is, which has no
 * case (RFC 3986, section 3.1). The rest stays to the letter: no escape is decoded, no path resolved, no slash added, so two addresses
 * never become one where a browser or an app could tell them apart. What a browser would have to repair stays as it is.
 */
export function canonicalRedirectUri(uri: string): string {
  if (REPAIRED.test(uri)) return uri;
  if (!/^https?:/i.test(uri)) return uri.replace(SCHEME, (scheme) => scheme.toLowerCase());
  const [, scheme, authority, rest] = HTTP.exec(uri) ?? [];
  const origin = `${scheme}://${authority}`;
  return scheme !== undefined && URL.canParse(origin) ? `${new URL(origin).origin}${rest}` : uri;
}

/** The same of an origin, or of the scheme that stands for an app's own pages (`app:`). */
export function canonicalOrigin(origin: string): string {
  const [, , , rest] = HTTP.exec(origin) ?? [];
  return rest === '' || /^[a-z]+:$/i.test(origin) ? canonicalRedirectUri(origin) : origin;
}
