import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Service } from '../service/service.ts';
import { acceptedRanges, type Languages, languageOf, lookUpLanguage, namedRanges } from '../words/languages.ts';
import type { Words } from '../words/words.ts';
import { parameter } from './request-parameters.ts';
import { languageCookieName } from './session-cookie.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** In the language of who reads the answer. */
    readonly words: Words;
  }
  interface FastifyInstance {
    readonly languages: Languages;
  }
}

/** What says which language somebody reads. */
export type ReaderHints = {
  readonly headers: IncomingHttpHeaders;
  /** The address's parameters and those of the form, of which the later count more. */
  readonly parameters: readonly unknown[];
  /** What was asked for when the visit began, for a page whose address does not say it. */
  readonly asked?: string | undefined;
  /** The account's own. */
  readonly language?: string | null | undefined;
};

type Choosing = Pick<Service, 'languages' | 'publicUrl'>;

/**
 * The language of a page. No other place chooses one. First counts what the game asks for, then the account's own, then the browser's, and
 * then the operator's. Somebody who has chosen another one in place of the game's keeps it.
 */
export function readersWords({ languages, publicUrl }: Choosing, reader: ReaderHints): Words {
  const { headers, language } = reader;
  const [chosen, instead] = cookieOf(headers, languageCookieName(publicUrl)).map((tag) => languageOf(languages, tag));
  const named = lookUpLanguage(languages, rangesOf(reader));
  if (named) return (named === instead && chosen) || named;
  return (
    (language && languageOf(languages, language)) ||
    chosen ||
    lookUpLanguage(languages, acceptedRanges(headers['accept-language'])) ||
    languages.fallback
  );
}

/** The language that this page's address or form asks for; null: it names none. */
export function namedWords({ languages }: Pick<Service, 'languages'>, request: FastifyRequest): Words | null {
  return lookUpLanguage(languages, rangesOf(readerOf(request)));
}

/** The same for an address that this page leads on to. */
export function localeParameter(service: Pick<Service, 'languages'>, request: FastifyRequest): { locale?: string } {
  const named = namedWords(service, request);
  return named ? { locale: named.language } : {};
}

function rangesOf({ parameters, asked }: ReaderHints): string[] {
  const [named] = parameters
    .toReversed()
    .map(namedIn)
    .filter((ranges) => ranges.length > 0);
  return named ?? namedRanges(asked);
}

/** The ranges that an address or a form asks for. Where a page leads on to another, the other's address says it, and no address in that. */
export function namedIn(parameters: unknown): string[] {
  const own = ownRanges(parameters);
  const next = parameter(parameters, 'return_to') ?? parameter(parameters, 'page');
  if (own.length > 0 || !next?.includes('?')) return own;
  return ownRanges(Object.fromEntries(new URLSearchParams(next.slice(next.indexOf('?')))));
}

const ownRanges = (parameters: unknown): string[] =>
  ['ui_locales', 'locale'].flatMap((name) => namedRanges(parameter(parameters, name)));

/** `ja` or, for somebody who prefers it to a game's German, `ja~de`. The provider's pages have no parsed cookies. */
function cookieOf({ cookie = '' }: IncomingHttpHeaders, name: string): readonly string[] {
  const pair = cookie.split(/;\s*/).find((each) => each.startsWith(`${name}=`));
  return pair?.slice(name.length + 1).split('~') ?? [];
}

const known = new WeakMap<FastifyRequest, Pick<ReaderHints, 'asked' | 'language'>>();
/** What was chosen, and the form that was known then. */
const chosenWords = new WeakMap<FastifyRequest, { readonly body: unknown; readonly words: Words }>();

/** Remembers what else is known of who sent the request. */
export function rememberReader(request: FastifyRequest, more: Pick<ReaderHints, 'asked' | 'language'>): void {
  known.set(request, { ...known.get(request), ...more });
  chosenWords.delete(request);
}

function readerOf(request: FastifyRequest): ReaderHints {
  const { headers, query, body } = request;
  return { headers, parameters: [query, body], ...known.get(request) };
}

/** Gives every request its words, and pages the languages to choose from. */
export function decorateWords(server: FastifyInstance, service: Choosing): void {
  server.decorate('languages', { getter: () => service.languages });
  server.decorateRequest('words', {
    getter(this: FastifyRequest) {
      const chosen = chosenWords.get(this);
      if (chosen && chosen.body === this.body) return chosen.words;
      const words = readersWords(service, readerOf(this));
      chosenWords.set(this, { body: this.body, words });
      return words;
    },
  });
}
