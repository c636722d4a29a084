import type { IncomingHttpHeaders } from 'node:http';

/** One parameter of a query or form. An empty value counts as absent. If it is repeated, the first value counts. */
export function parameter(parameters: unknown, name: string): string | undefined {
  const value = (parameters as Readonly<Record<string, unknown>> | null | undefined)?.[name];
  const first: unknown = Array.isArray(value) ? value[0] : value;
  return typeof first === 'string' && first !== '' ? first : undefined;
}

/** Whether the page is wanted without our header and footer. */
export function isInline(parameters: unknown): boolean {
  return parameter(parameters, 'inline') === 'true';
}

/** Whether the page is loaded into a frame, by Fetch Metadata. A browser that does not say counts as top level. */
export function isFramed(headers: IncomingHttpHeaders): boolean {
  const destination = headers['sec-fetch-dest'];
  return destination === 'iframe' || destination === 'frame' || destination === 'embed' || destination === 'object';
}

/**
 * Whether another site sent this form. This is a second line of defence behind the form token, so a browser that sends neither
 * header is let through.
 *
 * A page cannot set `Sec-Fetch-Site`, and it refers to the address that was really used. Without it `Origin` is compared whole:
 * scheme, host and port (RFC 6454, section 5). Browsers omit `Sec-Fetch-Site` on plain http outside loopback, as in a local network,
 * where players use the machine's address. So with http, the requested host counts as ours too.
 */
export function isForeignForm(headers: IncomingHttpHeaders, ourOrigin: string): boolean {
  const { origin, host, 'sec-fetch-site': site } = headers;
  if (origin === 'null') return true;
  if (site !== undefined) return site !== 'same-origin';
  if (origin === undefined || origin === ourOrigin) return false;
  return !ourOrigin.startsWith('http:') || origin !== httpOriginOf(host);
}

/**
 * Whether this form certainly came from our own page. It is for forms without a session's form token, such as sign-in, where
 * another site could sign a player in to a foreign account. So a browser that sends neither header is refused.
 */
export function isOwnForm(headers: IncomingHttpHeaders, ourOrigin: string): boolean {
  const known = headers.origin !== undefined || headers['sec-fetch-site'] !== undefined;
  return known && !isForeignForm(headers, ourOrigin);
}

function httpOriginOf(host: string | undefined): string | null {
  const address = `http://${host}`;
  return URL.canParse(address) ? new URL(address).origin : null;
}
