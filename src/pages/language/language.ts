import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Problem } from '../../base/problems.ts';
import { keepLocale } from '../../identity/user-locale.ts';
import type { Service } from '../../service/service.ts';
import { LANGUAGE_PATH, onlyShows } from '../../web/language-choice.ts';
import { namedIn } from '../../web/readers-words.ts';
import { isFramed, parameter } from '../../web/request-parameters.ts';
import { languageCookieName, sessionCookieOptions } from '../../web/session-cookie.ts';
import { readVisitor, safeReturn } from '../../web/visitor.ts';
import { languageOf, lookUpLanguage } from '../../words/languages.ts';

const DAYS = 365;

/** The page whose form was sent, if the browser says it. */
function cameFrom({ headers: { referer = '' } }: FastifyRequest, publicUrl: string): string {
  const page = URL.parse(referer);
  return page?.origin === publicUrl ? page.pathname + page.search : '/';
}

/**
 * POST /language: keeps the language that was chosen at the foot of a page, and shows that page again. It is kept with the account of who is
 * signed in, and in this browser. A frame gets no cookie, so there only the address says it. Nothing else of the page is sent, unless a form
 * shows it again: the browser sends that form on, which says the language too.
 */
export function languageRoute(server: FastifyInstance, service: Service): void {
  const { languages, publicUrl } = service;
  server.post(LANGUAGE_PATH, async (request, reply) => {
    const again = onlyShows(request);
    const chosen = languageOf(languages, parameter(request.body, again ? 'locale' : 'language') ?? '');
    if (!chosen) throw new Problem('invalid-input', 'There is no such language.');
    const shown = parameter(request.body, 'address') ?? cameFrom(request, publicUrl);
    const address = new URL(safeReturn(shown, publicUrl), publicUrl);
    const { searchParams } = address;
    const asked = lookUpLanguage(
      languages,
      namedIn(again ? { ...(request.body as object), locale: '' } : Object.fromEntries(searchParams)),
    );
    if (!isFramed(request.headers)) {
      const visitor = await readVisitor(service, request);
      if (visitor) await keepLocale(service.db, visitor.user.id, chosen.language);
      const value = asked && asked !== chosen ? `${chosen.language}~${asked.language}` : chosen.language;
      const options = { ...sessionCookieOptions(publicUrl), maxAge: DAYS * 86_400 };
      reply.setCookie(languageCookieName(publicUrl), value, options);
    }
    if (again) return reply.redirect(address.pathname, 307);
    searchParams.delete('ui_locales');
    searchParams.set('locale', chosen.language);
    return reply.redirect(address.pathname + address.search, 303);
  });
  server.get(LANGUAGE_PATH, { config: { isUnlisted: true } }, (_request, reply) => reply.redirect('/', 303));
}
