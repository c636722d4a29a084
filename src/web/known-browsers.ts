import type { FastifyReply, FastifyRequest } from 'fastify';
import { rememberBrowser } from '../features/credentials/throttle.ts';
import { KNOWN_DAYS, type KnownBrowser } from '../identity/known-browsers.ts';
import type { Service } from '../settlement/service.ts';
import { openField, sealField } from './sealed-field.ts';
import { knownBrowserCookieName, sessionCookieOptions } from './session-cookie.ts';
import { setSessionCookie } from './visitor.ts';

const SEALED_FOR = 'known browser';

type Content = { readonly browsers: readonly KnownBrowser[] };

/** The accounts that know this browser, from its cookie. Empty: nobody has signed in, or the cookie is not ours. */
export function knownBrowsers({ vault, publicUrl }: Service, request: FastifyRequest): readonly KnownBrowser[] {
  const cookie = request.cookies[knownBrowserCookieName(publicUrl)];
  return openField<Content>(vault, SEALED_FOR, cookie)?.browsers ?? [];
}

/**
 * Signs in the browser that sent the request, and makes it known to the account. `session`: the session cookie's value. Never
 * used in a frame.
 */
export async function signBrowserIn(
  service: Service,
  request: FastifyRequest,
  reply: FastifyReply,
  session: string,
): Promise<void> {
  setSessionCookie(service, reply, session);
  await keepBrowserKnown(service, request, reply, session);
}

/** Keeps a signed-in browser known after the account's password was changed in it. */
export async function keepBrowserKnown(
  service: Service,
  request: FastifyRequest,
  reply: FastifyReply,
  session: string,
): Promise<void> {
  const { vault, publicUrl } = service;
  const browsers = await rememberBrowser(service, knownBrowsers(service, request), session);
  // Sealed and not only signed, so that it reveals nobody's account.
  const value = sealField(vault, SEALED_FOR, { browsers } satisfies Content, KNOWN_DAYS * 24 * 60);
  const options = { ...sessionCookieOptions(publicUrl), maxAge: KNOWN_DAYS * 86_400 };
  reply.setCookie(knownBrowserCookieName(publicUrl), value, options);
}
