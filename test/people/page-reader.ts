import type { LightMyRequestResponse } from 'fastify';
import { cookieOf } from '../kit/service/forms.ts';
import { hiddenFields } from '../kit/service/oauth-browser.ts';
import type { TestService } from '../kit/service/service.ts';
import { somewhere } from '../kit/service/with-password.ts';
import { shownText, unmarkedLines } from '../kit/unit/made-up-words.ts';

/** Routes for programs, developers and operators, and files. */
const NOT_FOR_PLAYERS =
  /^\/(?:v1|developer|operator|docs|tour|assets|apps)\b|^\/(?:healthz|readyz|doctor|metrics|\.well-known)|^\/oauth\/(?:token|revoke|introspect|userinfo|jwks)|\.(?:js|mjs|ts|json|csv)$/;

/** What others have written: addresses, names and the brand. */
export const WRITTEN_BY_OTHERS =
  /[\w.+-]+@[\w.-]+|https?:\/\/\S+|\b(?:localhost:\d+|game\.example)\b|\b0x[0-9a-f]+|\bGuest [0-9A-Z]{4}\b|\bQuarters\b/gi;

/** The choice of a language at the foot of a page. */
const LANGUAGES = /<form method="post" action="\/language">([\s\S]*?)<\/form>/;

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
  /** What was said in no marks, and answers to forms that offer no other language or lead elsewhere with it. */
  readonly faults: readonly string[];
};

/** Reads pages as their players do, and notes what is in no marks. After each form it chooses the language `other`. */
export function pageReader({ app, origin, routes }: TestService, other: string): PageReader {
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
  /** The answers after which another language was chosen. */
  const tried = new Set<string>();
  const form = { ...sent, 'content-type': 'application/x-www-form-urlencoded' };
  const chooseOther = async (url: string, answer: LightMyRequestResponse, who: Visiting) => {
    const choice = LANGUAGES.exec(answer.body)?.[1];
    if (choice === undefined) return faults.push(`POST ${url} (${answer.statusCode}): no other language`);
    const fields = { ...hiddenFields({ body: choice }), [/<button[^>]* name="(\w+)"/.exec(choice)?.[1] ?? '']: other };
    const payload = new URLSearchParams(fields).toString();
    const referer = new URL(url, origin).href;
    let next = await ask('POST', '/language', who, { ...form, referer }, payload);
    const chosen = { ...who, cookie: [who.cookie, cookieOf(next)].filter(Boolean).join('; ') };
    for (let hops = 0; next.statusCode >= 300 && next.statusCode < 400 && hops < 5; hops++) {
      const to = String(next.headers.location);
      next = next.statusCode === 307 ? await ask('POST', to, chosen, form, payload) : await ask('GET', to, chosen, {});
    }
    const isOther = next.body.includes(`<html lang="${other}"`) && (next.statusCode < 400 || answer.statusCode >= 400);
    const [was, is] = [answer, next].map(({ body }) => /<h1\b[^>]*>([\s\S]*?)<\/h1>/.exec(body)?.[1]);
    if (!isOther || (answer.statusCode < 400 && is !== was)) {
      faults.push(`POST ${url} (${answer.statusCode} ${was}): another language leads to ${next.statusCode} ${is}`);
    }
  };
  return {
    open: (url, who = {}, headers = {}) => ask('GET', url, who, headers),
    send: async (url, typed, who = {}) => {
      const fields = { csrf: who.csrf ?? '', ...typed };
      const answer = await ask('POST', url, who, form, new URLSearchParams(fields).toString());
      const kind = `${new URL(url, origin).pathname} ${answer.statusCode}`;
      if (answer.body.startsWith('<!doctype html>') && !tried.has(kind)) {
        tried.add(kind);
        await chooseOther(url, answer, who);
      }
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
