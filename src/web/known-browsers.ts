import type { FastifyReply, FastifyRequest } from 'fastify';
import { KNOWN_DAYS, type KnownBrowser } from '../identity/known-browsers.ts';
import { rememberBrowser } from '../usecases/person/known-browser.ts';
import type { Service } from '../usecases/service.ts';
import { openField, sealField } from './sealed-field.ts';
import { knownBrowserCookieName, sessionCookieOptions } from './session-cookie.ts';
import { setSessionCookie } from './visitor.ts';

const SEALED_FOR = 'known browser';

type Content = { readonly browsers: readonly KnownBrowser[] };

/** Which accounts know this browser, as its cookie says; none where nobody has signed in, or the cookie is not of our making. */
export function knownBrowsers({ vault, publicUrl }: Service, request: FastifyRequest): readonly KnownBrowser[] {
  const cookie = request.cookies[knownBrowserCookieName(publicUrl)];
  return openField<Content>(vault, SEALED_FOR, cookie)?.browsers ?? [];
}

/**
 * Signs the browser in that sent the request, and lets it be known to the account from now on. `session`: the session cookie's value.
 * Never in a frame.
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

/** For a browser that is signed in, after its account's password was changed in it. */
export async function keepBrowserKnown(
  service: Service,
  request: FastifyRequest,
  reply: FastifyReply,
  session: string,
): Promise<void> {
  const { vault, publicUrl } = service;
  const browsers = await rememberBrowser(service, knownBrowsers(service, request), session);
  // Sealed, not signed alone: it tells nobody who has an account.
  const value = sealField(vault, SEALED_FOR, { browsers } satisfies Content, KNOWN_DAYS * 24 * 60);
  const options = { ...sessionCookieOptions(publicUrl), maxAge: KNOWN_DAYS * 86_400 };
  reply.setCookie(knownBrowserCookieName(publicUrl), value, options);
}
