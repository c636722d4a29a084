import type { CookieSerializeOptions } from '@fastify/cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { SESSION_DAYS } from '../oauth/sessions.ts';
import type { Service } from '../service/service.ts';

/**
 * The name of the session cookie. With https its prefix keeps other hosts of the domain from setting it (RFC 6265bis, section
 * 4.1.3). Plain http, on loopback, has no such prefix, and all ports share their cookies, so the name holds the port.
 */
export function sessionCookieName(publicUrl: string): string {
  return cookieName(publicUrl, ['quarters']);
}

/** The name of the cookie of a known browser, by the same rules. */
export function knownBrowserCookieName(publicUrl: string): string {
  return cookieName(publicUrl, ['quarters', 'browser']);
}

/** The name of the cookie of the browser that sent a kept form, by the same rules. */
export function draftCookieName(publicUrl: string): string {
  return cookieName(publicUrl, ['quarters', 'draft']);
}

/** The name of the cookie of a chosen language, by the same rules. */
export function languageCookieName(publicUrl: string): string {
  return cookieName(publicUrl, ['quarters', 'language']);
}

function cookieName(publicUrl: string, words: readonly string[]): string {
  const { protocol, port } = new URL(publicUrl);
  return protocol === 'https:' ? `__Host-${words.join('-')}` : [...words, port || '80'].join('_');
}

/** Lax: the cookie comes with a game's link to our pages, and not with another site's form. */
export function sessionCookieOptions(publicUrl: string): CookieSerializeOptions {
  return {
    httpOnly: true,
    sameSite: 'lax',
    path: '/',
    secure: publicUrl.startsWith('https:'),
    // The latest end of the session. Only the database knows an earlier end by the idle limit.
    maxAge: SESSION_DAYS * 86_400,
  };
}

/** The value of the session cookie, not yet checked. */
export function sessionCookie({ publicUrl }: Service, request: FastifyRequest): string | undefined {
  return request.cookies[sessionCookieName(publicUrl)];
}

/** Gives the browser a new session. The former value opens nothing any more (session fixation). */
export function setSessionCookie(service: Service, reply: FastifyReply, value: string): void {
  reply.setCookie(sessionCookieName(service.publicUrl), value, sessionCookieOptions(service.publicUrl));
}

export function clearSessionCookie(service: Service, reply: FastifyReply): void {
  const { maxAge: _, ...options } = sessionCookieOptions(service.publicUrl);
  reply.clearCookie(sessionCookieName(service.publicUrl), options);
}
