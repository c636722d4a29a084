import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { Service } from '../service/service.ts';
import { foreignForm } from './message-page.ts';
import { sendMessage } from './send-page.ts';

const guarded = new WeakSet<object>();

/** Marks a handler that checks by itself where a form came from, in its own way. */
export function checksForm<Handler extends object>(handler: Handler): Handler {
  guarded.add(handler);
  return handler;
}

/** Every form sent to this scope is taken from our own pages only, unless its handler checks that by itself. */
export function guardForms(pages: FastifyInstance, { publicUrl, security }: Service): void {
  pages.addHook('onRoute', (route) => {
    const { method, handler } = route;
    if (![method].flat().includes('POST') || guarded.has(handler)) return;
    route.handler = async function (request, reply) {
      if (isOwnForm(request.headers, publicUrl)) return handler.call(this, request, reply);
      security.note('foreign-form');
      return sendMessage(request, reply, foreignForm(request.words), []);
    };
  });
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
