import type { IncomingHttpHeaders } from 'node:http';

/** One parameter of a query or form. Without a value it counts as absent; of a repeated one the first counts. */
export function parameter(parameters: unknown, name: string): string | undefined {
  const value = (parameters as Readonly<Record<string, unknown>> | null | undefined)?.[name];
  const first: unknown = Array.isArray(value) ? value[0] : value;
  return typeof first === 'string' && first !== '' ? first : undefined;
}

/** Whether the page is wanted without a header and footer of ours. */
export function isInline(parameters: unknown): boolean {
  return parameter(parameters, 'inline') === 'true';
}

/** Whether the page is loaded into a frame (Fetch Metadata; browsers that do not say are taken at top level). */
export function isFramed(headers: IncomingHttpHeaders): boolean {
  const destination = headers['sec-fetch-dest'];
  return destination === 'iframe' || destination === 'frame' || destination === 'embed' || destination === 'object';
}

/**
 * Whether another site sent this form. Only a second line: the form's token is what counts, so a browser that sends
 * neither header is let through.
 *
 * `Sec-Fetch-Site` cannot be set by a page and knows the address we were really reached at; `Origin` stands in for it, and is compared
 * whole: scheme, host and port (RFC 6454, section 5). Browsers leave the first out on plain http, other than loopback: in a local
 * network, where we are reached by an address of the machine. So where we are reached by http, the host we were asked for is ours too.
 */
export function isForeignForm(headers: IncomingHttpHeaders, ourOrigin: string): boolean {
  const { origin, host, 'sec-fetch-site': site } = headers;
  if (origin === 'null') return true;
  if (site !== undefined) return site !== 'same-origin';
  if (origin === undefined || origin === ourOrigin) return false;
  return !ourOrigin.startsWith('http:') || origin !== httpOriginOf(host);
}

/**
 * Whether this form surely came from a page of ours. For forms no session's token protects, such as the one to sign in (else
 * somebody could be signed in to another's account unawares): a browser that sends neither header is refused.
 */
export function isOwnForm(headers: IncomingHttpHeaders, ourOrigin: string): boolean {
  const known = headers.origin !== undefined || headers['sec-fetch-site'] !== undefined;
  return known && !isForeignForm(headers, ourOrigin);
}

function httpOriginOf(host: string | undefined): string | null {
  const address = `http://${host}`;
  return URL.canParse(address) ? new URL(address).origin : null;
}
