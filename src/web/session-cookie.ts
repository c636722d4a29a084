import type { CookieSerializeOptions } from '@fastify/cookie';
import { SESSION_DAYS } from '../oauth/sessions.ts';

/**
 * The cookie of who is signed in. With https its prefix keeps other hosts of the same domain from setting it (RFC 6265bis, section 4.1.3);
 * plain http, on loopback, has no such thing, and there all ports share their cookies, so the name tells them apart.
 */
export function sessionCookieName(publicUrl: string): string {
  return cookieName(publicUrl, ['quarters']);
}

/** The cookie of a browser that accounts know; named by the same rules. */
export function knownBrowserCookieName(publicUrl: string): string {
  return cookieName(publicUrl, ['quarters', 'browser']);
}

function cookieName(publicUrl: string, words: readonly string[]): string {
  const { protocol, port } = new URL(publicUrl);
  return protocol === 'https:' ? `__Host-${words.join('-')}` : [...words, port || '80'].join('_');
}

/** Lax: a game's link to our pages finds the player signed in, another site's form does not. */
export function sessionCookieOptions(publicUrl: string): CookieSerializeOptions {
  return {
    httpOnly: true,
    sameSite: 'lax',
    path: '/',
    secure: publicUrl.startsWith('https:'),
    // When the session ends at the latest; an earlier end, by the idle limit, is known to the database alone.
    maxAge: SESSION_DAYS * 86_400,
  };
}
