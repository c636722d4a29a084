import type { LightMyRequestResponse } from 'fastify';
import type { TestService } from '../kit/service/service.ts';
import { somewhere } from '../kit/service/with-password.ts';
import { shownText, unmarkedLines } from '../kit/unit/made-up-words.ts';

/** Routes for programs, developers and operators, and files. */
const NOT_FOR_PLAYERS =
  /^\/(?:v1|developer|operator|docs|tour|assets|apps)\b|^\/(?:healthz|readyz|doctor|metrics|\.well-known)|^\/oauth\/(?:token|revoke|introspect|userinfo|jwks)|\.(?:js|mjs|ts|json|csv)$/;

/** What others have written: addresses, names and the brand. */
export const WRITTEN_BY_OTHERS =
  /[\w.+-]+@[\w.-]+|https?:\/\/\S+|\b(?:localhost:\d+|game\.example)\b|\b0x[0-9a-f]+|\bGuest [0-9A-Z]{4}\b|\bQuarters\b/gi;

type Form = Readonly<Record<string, string>>;

/** Somebody's browser: their cookies, and the form token of their pages. */
export type Visiting = { readonly cookie?: string; readonly csrf?: string };

export type PageReader = {
  open(url: string, who?: Visiting, headers?: Form): Promise<LightMyRequestResponse>;
  /** As a form, or as JSON where a script of ours sends it. */
  send(url: string, form: Form, who?: Visiting): Promise<LightMyRequestResponse>;
  /** The players' routes, as `GET /path`. */
  readonly routes: readonly string[];
  /** Those that have shown a page (`isPage`), or said something. */
  readonly seen: ReadonlySet<string>;
  /** What was said in no marks. */
  readonly faults: readonly string[];
};

/** Reads pages as their players do, and notes what is in no marks. */
export function pageReader({ app, origin, routes }: TestService): PageReader {
  const known = routes
    .filter(({ url, config }) => !NOT_FOR_PLAYERS.test(url) && !config?.isUnlisted)
    .flatMap(({ method, url }) => [method].flat().map((one) => `${one} ${url}`))
    .filter((route) => /^(?:GET|POST) /.test(route));
  const patterns = known.map((route) => ({
    route,
    path: new RegExp(`^${route.replaceAll(/:\w+(?:\([^/]*\))?/g, '[^/?]+')}$`),
  }));
  const seen = new Set<string>();
  const faults: string[] = [];
  const ask = async (method: 'GET' | 'POST', url: string, who: Visiting, headers: Form, payload?: string) => {
    const { cookie = '' } = who;
    const host = new URL(origin).host;
    const answer = await app.inject({
      method,
      url,
      headers: { host, accept: 'text/html', cookie, ...somewhere(), ...headers },
      ...(payload !== undefined && { payload }),
    });
    note(`${method} ${new URL(url, origin).pathname}`, answer);
    return answer;
  };
  const note = (asked: string, { statusCode, headers, body }: LightMyRequestResponse) => {
    const type = String(headers['content-type'] ?? '');
    const says = type.startsWith('text/html') ? shownText(body) : saysInJson(type, body);
    if (says === null || (statusCode >= 300 && statusCode < 400)) return;
    const route = patterns.find(({ path }) => path.test(asked))?.route ?? asked;
    // A general message is no page of a GET.
    if (statusCode < 400 || asked.startsWith('POST')) seen.add(route);
    for (const line of unmarkedLines(says, WRITTEN_BY_OTHERS)) faults.push(`${route} (${statusCode}): ${line}`);
  };
  const sent = { origin, 'sec-fetch-site': 'same-origin' };
  return {
    open: (url, who = {}, headers = {}) => ask('GET', url, who, headers),
    send: async (url, form, who = {}) => {
      const fields = { csrf: who.csrf ?? '', ...form };
      const headers = { ...sent, 'content-type': 'application/x-www-form-urlencoded' };
      const answer = await ask('POST', url, who, headers, new URLSearchParams(fields).toString());
      if (answer.statusCode !== 415) return answer;
      return ask('POST', url, who, { ...sent, 'content-type': 'application/json' }, JSON.stringify(fields));
    },
    routes: known,
    seen,
    faults,
  };
}

/** What a script of ours would show. */
function saysInJson(type: string, body: string): string | null {
  if (!type.startsWith('application/json')) return null;
  const { message } = JSON.parse(body) as { message?: string };
  return message ?? null;
}
