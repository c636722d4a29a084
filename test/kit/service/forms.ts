import type { TestService } from './service.ts';

type Fields = Readonly<Record<string, string>>;
type Headers = Readonly<Record<string, string>>;

/** Sends a form as a browser does from a page of ours. */
export function sendForm({ app, origin }: TestService, path: string, fields: Fields, headers: Headers = {}) {
  return app.inject({
    method: 'POST',
    url: path,
    headers: { origin, 'content-type': 'application/x-www-form-urlencoded', ...headers },
    payload: new URLSearchParams(fields).toString(),
  });
}

/** A hidden field of the page. */
export function hiddenField(page: string, name: string): string {
  return new RegExp(`<input type="hidden" name="${name}" value="([^"]*)"`).exec(page)?.[1] ?? '';
}

/** What a browser would send back of the cookies that were set: `name=value`. */
export function cookieOf(answer: { cookies: { name: string; value: string }[] }): string {
  return answer.cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
}
