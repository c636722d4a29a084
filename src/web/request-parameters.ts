import type { IncomingHttpHeaders } from 'node:http';
import { html } from 'hono/html';
import type { Markup } from './layout.ts';

/** One parameter of a query or form. An empty value counts as absent. If it is repeated, the first value counts. */
export function parameter(parameters: unknown, name: string): string | undefined {
  const value = (parameters as Readonly<Record<string, unknown>> | null | undefined)?.[name];
  const first: unknown = Array.isArray(value) ? value[0] : value;
  return typeof first === 'string' && first !== '' ? first : undefined;
}

/** No page of ours has a longer address. A page may name several times where it leads on to. */
export const MOST_ADDRESS = 4_000;

/** Whether the page is wanted without our header and footer. */
export function isInline(parameters: unknown): boolean {
  return parameter(parameters, 'inline') === 'true';
}

/** The game's name for the frame it opened us in. It also means that the result goes by message. */
export function frameIdOf(parameters: unknown): string | undefined {
  return parameter(parameters, 'frame_id')?.slice(0, 200);
}

/** Whether the page is loaded into a frame, by Fetch Metadata. A browser that does not say counts as top level. */
export function isFramed(headers: IncomingHttpHeaders): boolean {
  const destination = headers['sec-fetch-dest'];
  return destination === 'iframe' || destination === 'frame' || destination === 'embed' || destination === 'object';
}

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
