/** Matches scheme, authority and rest of an http URL that a browser need not repair. */
const HTTP = /^(https?):\/\/([^/?#\\@]+)((?:[/?#].*)?)$/i;
/** Characters that browsers drop or escape, depending on their position. */
const REPAIRED = /[\s\p{Cc}]/u;
/** RFC 3986, section 3.1. */
const SCHEME = /^[a-z][a-z0-9+.-]*:/i;

/**
 * Returns the form in which redirect addresses are stored and compared, character by character (RFC 9700, section 4.1.3).
 *
 * For http URLs, scheme, host and port are written as browsers write them: lower case, Punycode, no default port (WHATWG
 * URL). For others, only the scheme becomes lower case, because it has no case (RFC 3986, section 3.1). The rest is never
 * changed: no escape is decoded, no path resolved, no slash added. So two addresses never become one if a browser or an app
 * can distinguish them. A URL that a browser would have to repair stays as it is.
 */
export function canonicalRedirectUri(uri: string): string {
  if (REPAIRED.test(uri)) return uri;
  if (!/^https?:/i.test(uri)) return uri.replace(SCHEME, (scheme) => scheme.toLowerCase());
  const [, scheme, authority, rest] = HTTP.exec(uri) ?? [];
  const origin = `${scheme}://${authority}`;
  return scheme !== undefined && URL.canParse(origin) ? `${new URL(origin).origin}${rest}` : uri;
}

/** The start of an address on a loopback interface. Group 1: without its port. */
const LOOPBACK = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]))(?::\d+)?(?![^/?])/;

/**
 * Whether `named` is one of the registered addresses, all in their canonical form. On a loopback interface it may have any port, because an
 * installed game listens on one that is free (RFC 8252, section 7.3). That is so for addresses and not for `localhost`, which may lead
 * elsewhere (section 8.3).
 */
export function isRegisteredRedirect(registered: readonly string[], named: string): boolean {
  if (registered.includes(named)) return true;
  if (!LOOPBACK.test(named) || !URL.canParse(named)) return false;
  return registered.some((each) => LOOPBACK.test(each) && withoutPort(each) === withoutPort(named));
}

const withoutPort = (uri: string) => uri.replace(LOOPBACK, '$1');

/** As {@link canonicalRedirectUri}, for an origin, or for the scheme of an app's own pages (`app:`). */
export function canonicalOrigin(origin: string): string {
  const [, , , rest] = HTTP.exec(origin) ?? [];
  return rest === '' || /^[a-z]+:$/i.test(origin) ? canonicalRedirectUri(origin) : origin;
}
