import { html } from 'hono/html';
import type { Markup } from './layout.ts';

/**
 * A query that opens the same page as the request's, with `replacement` in place of the long-lived token in the parameter `token`: what
 * `ADDRESS_SCRIPT` puts into the address bar. Undefined where the request has none.
 *
 * The replacement must open this one page alone, and not for long: an address ends up in histories, screenshots and crash reports.
 */
export function queryWithout(
  { url }: { readonly url: string },
  token: string,
  [name, value]: readonly [name: string, value: string],
): string | undefined {
  const query = new URLSearchParams(url.split('?', 2)[1]);
  if (!query.has(token)) return undefined;
  query.delete(token);
  query.set(name, value);
  return `?${query}`;
}

/** The attribute of a page's `main` that the script reads. */
export function addressAttribute(address: string | undefined): Markup | undefined {
  return address === undefined ? undefined : html` data-address="${address}"`;
}
