import type { FastifyReply, FastifyRequest } from 'fastify';
import { rememberBrowser } from '../features/attempts/throttle.ts';
import { KNOWN_DAYS, type KnownBrowser } from '../identity/known-browsers.ts';
import { keepLocale } from '../identity/user-locale.ts';
import { findSession } from '../oauth/sessions.ts';
import type { Service } from '../service/service.ts';
import type { Words } from '../words/words.ts';
import { knownBrowserCookieName, sessionCookie, sessionCookieOptions, setSessionCookie } from './session-cookie.ts';
import { openField, sealField } from './wizard.ts';

/** The browser that signs in: the former value of its session cookie, and its name in words. */
export function arrivingBrowser(
  service: Service,
  request: FastifyRequest,
): { readonly former: string | undefined; readonly browser: string | null } {
  return {
    former: sessionCookie(service, request),
    browser: browserName(request.words, request.headers['user-agent']),
  };
}

const SEALED_FOR = 'known browser';

type Content = { readonly browsers: readonly KnownBrowser[] };

/** The accounts that know this browser, from its cookie. Empty: nobody has signed in, or the cookie is not ours. */
export function knownBrowsers({ vault, publicUrl }: Service, request: FastifyRequest): readonly KnownBrowser[] {
  const cookie = request.cookies[knownBrowserCookieName(publicUrl)];
  return openField<Content>(vault, SEALED_FOR, cookie)?.browsers ?? [];
}

/**
 * Signs in the browser that sent the request, and makes it known to the account. An account without a language gets the page's. `session`: the session cookie's value. Never
 * used in a frame.
 */
export async function signBrowserIn(service: Service, reply: FastifyReply, session: string): Promise<void> {
  const { request } = reply;
  setSessionCookie(service, reply, session);
  const opened = await findSession(service.db, session, service.settings.sessionIdleMinutes);
  if (opened) await keepLocale(service.db, opened.userId, request.words.language, { ifNone: true });
  await keepBrowserKnown(service, reply, session);
}

/** Keeps a signed-in browser known after the account's password was changed in it. */
export async function keepBrowserKnown(service: Service, reply: FastifyReply, session: string): Promise<void> {
  const { vault, publicUrl } = service;
  const browsers = await rememberBrowser(service, knownBrowsers(service, reply.request), session);
  // Sealed and not only signed, so that it reveals nobody's account.
  const value = sealField(vault, SEALED_FOR, { browsers } satisfies Content, KNOWN_DAYS * 24 * 60);
  const options = { ...sessionCookieOptions(publicUrl), maxAge: KNOWN_DAYS * 86_400 };
  reply.setCookie(knownBrowserCookieName(publicUrl), value, options);
}

/** Most browsers also name the ones they imitate, so the first match counts. */
const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/\bEdg(?:A|iOS)?\//, 'Edge'],
  [/\b(?:OPR|OPT|OPiOS)\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chrome|CriOS|Chromium)\//, 'Chrome'],
  [/\bVersion\/\S+ (?:Mobile\/\S+ )?Safari\//, 'Safari'],
];

const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bMacintosh\b/, 'Mac'],
  [/\bLinux\b/, 'Linux'],
];

/**
 * Browser and system in words, such as "Firefox on Windows", so that users recognise their own in a list. Null: neither is known.
 * A sender can put anything into the header (RFC 9110, section 10.1.5). So it decides nothing, and only our own words are stored.
 */
export function browserName(words: Words, userAgent: string | undefined): string | null {
  const find = (names: typeof BROWSERS) => names.find(([pattern]) => pattern.test(userAgent ?? ''))?.[1];
  const [browser, system] = [find(BROWSERS), find(SYSTEMS)];
  if (system === undefined) return browser ?? null;
  return words.browsers.on(browser ?? words.browsers.unknown, system);
}
