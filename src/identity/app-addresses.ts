import { canonicalRedirectUri, isRegisteredRedirect } from '../base/redirect-uri.ts';

export const MAX_ADDRESS_CHARACTERS = 2000;

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/** The host of a try-out that is open to the developer's network: plain http is allowed there, as on loopback. */
type LanHost = string | undefined;

const isPlainAllowed = (hostname: string, lanHost: LanHost) => LOOPBACK.has(hostname) || hostname === lanHost;

/**
 * What is wrong with a redirect address; null if nothing is. Allowed are https, http on loopback, and private-use schemes, which need a
 * dot (RFC 8252, sections 7.1 and 7.3). Addresses are compared as text, so what a browser would rewrite (`..`, `\`, a missing slash) is
 * refused.
 */
export function redirectUriFault(uri: string, lanHost?: LanHost): string | null {
  if (uri.length > MAX_ADDRESS_CHARACTERS) return `is longer than ${MAX_ADDRESS_CHARACTERS} characters`;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: this pattern looks for control characters
  if (/[\s\u0000-\u001f\u007f\\]/.test(uri) || !URL.canParse(uri))
    return 'is not an address, such as https://game.example/paid';
  const { protocol, hostname, hash, username, password } = new URL(uri);
  if (hash || uri.includes('#')) return 'must not have a fragment';
  if (username || password || /^[^/?]*\/\/[^/?]*@/.test(uri)) return 'must not contain a user name or password';
  if (/^https?:(?!\/\/[^/])/i.test(uri)) return 'is not an address, such as https://game.example/paid';
  if (DOT_SEGMENT.test(uri)) return 'must not have “.” or “..” as a part of its path';
  if (protocol === 'https:') return null;
  if (protocol === 'http:' && isPlainAllowed(hostname, lanHost)) return null;
  if (protocol === 'http:') return 'must use https (plain http is for loopback only)';
  return protocol.includes('.')
    ? null
    : 'must use https, or your own scheme with a dot in it, such as com.example.game:';
}

/** What is wrong with the address of a page where players buy quarters; null if nothing is. It is a web page: https, or http on loopback. */
export function topUpUrlFault(url: string, lanHost?: LanHost): string | null {
  return redirectUriFault(url, lanHost) ?? (/^https?:/i.test(url) ? null : 'must use https');
}

/** What browsers treat as `.` or `..` (WHATWG URL, section 4.4), before the query. */
const DOT_SEGMENT = /^[^?]*\/(\.|%2e){1,2}(\/|\?|$)/i;

/** What is wrong with an origin that may frame our pages (a CSP host source); null if nothing is. */
export function frameAncestorFault(source: string, lanHost?: LanHost): string | null {
  // A URL's host may contain `*`, `;` and `,`, which would mean several origins in a CSP header. CSP cannot name IPv6 hosts.
  if (!/^https?:\/\/[a-z0-9.-]+(:\d+)?$/i.test(source) || !URL.canParse(source))
    return 'is not an origin, such as https://game.example';
  const url = new URL(source);
  if (url.origin !== source) return 'must be an origin only, such as https://game.example, without a path';
  if (url.protocol === 'https:') return null;
  return url.protocol === 'http:' && isPlainAllowed(url.hostname, lanHost)
    ? null
    : 'must use https (plain http is for loopback only)';
}

/** Schemes of pages that an installed app contains. Each is an origin by itself. */
const APP_SCHEMES = ['app:', 'capacitor:', 'file:'];

/**
 * What is wrong with an origin that a result may be posted to; null if nothing is. The origin `null` is refused: all opaque origins,
 * even an attacker's sandboxed frame, share it.
 */
export function resultOriginFault(origin: string, lanHost?: LanHost): string | null {
  if (APP_SCHEMES.includes(origin)) return null;
  const fault = frameAncestorFault(origin, lanHost);
  return fault && `${fault}; installed apps use app:, capacitor: or file:`;
}

/** The named redirect address in its canonical form; null if it is not registered. */
export function findRedirectUri(registered: readonly string[], named: string): string | null {
  const uri = canonicalRedirectUri(named);
  return isRegisteredRedirect(registered.map(canonicalRedirectUri), uri) ? uri : null;
}

/** The app's redirect address to use, in its canonical form: the named one, or the only one if none is named. */
export function chooseRedirectUri(
  registered: readonly string[],
  named: string | undefined,
):
  | { readonly kind: 'redirect'; readonly uri: string }
  | { readonly kind: 'none' }
  | { readonly kind: 'not-registered' } {
  if (named !== undefined) {
    const uri = findRedirectUri(registered, named);
    return uri === null ? { kind: 'not-registered' } : { kind: 'redirect', uri };
  }
  const [only, ...others] = registered;
  const single = only !== undefined && others.length === 0;
  return single ? { kind: 'redirect', uri: canonicalRedirectUri(only) } : { kind: 'none' };
}
