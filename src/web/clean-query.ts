import { html } from 'hono/html';
import type { Markup } from './layout.ts';

/**
 * A query that opens the same page as the request's, without the long-lived token in the parameter `token`. `ADDRESS_SCRIPT`
 * puts it into the address bar. Undefined: the request has no such token. `ignored`: parameters that do not affect the page.
 *
 * The replacement must open only this page, and not for long: addresses end up in histories, screenshots and crash reports.
 */
export function cleanQueryOf(
  { url }: { readonly url: string },
  token: string,
  [name, value]: readonly [name: string, value: string],
  ignored: readonly string[] = [],
): string | undefined {
  const query = new URLSearchParams(url.slice(url.indexOf('?')));
  if (!query.has(token)) return undefined;
  for (const each of [token, ...ignored]) query.delete(each);
  query.set(name, value);
  return `?${query}`;
}

/** The attribute of a page's `main` that the script reads. */
export function cleanQueryAttribute(query: string | undefined): Markup | undefined {
  return query === undefined ? undefined : html` data-clean-query="${query}"`;
}
