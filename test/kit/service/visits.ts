import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../unit/until.ts';
import { type Answer, ask } from './payment.ts';
import type { Person } from './people.ts';
import type { TestService } from './service.ts';

/** Opens a page as a user. Null: not signed in. */
export function visit(service: TestService, person: Pick<Person, 'cookie'> | null, url: string): Promise<Answer> {
  return ask(service, { url, headers: person ? { cookie: person.cookie } : {} });
}

/** Sends a form like the page's own, with its form token. `form` and `headers` override fields. */
export function send(
  service: TestService,
  person: Pick<Person, 'cookie' | 'csrf'>,
  url: string,
  form: Record<string, string> = {},
  headers: Record<string, string> = {},
): Promise<Answer> {
  return ask(service, {
    method: 'POST',
    url,
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      cookie: person.cookie,
      origin: service.origin,
      'sec-fetch-site': 'same-origin',
      ...headers,
    },
    payload: new URLSearchParams({ csrf: person.csrf, ...form }).toString(),
  });
}

/** The value of a hidden field. */
export function hiddenField({ body }: Answer, name: string): string {
  const value = new RegExp(`name="${name}" value="([^"]*)"`).exec(body)?.[1];
  if (value === undefined) throw new Error(`There is no hidden field ${name}`);
  return value;
}

/** Whether a cookie still opens the account. */
export async function isSignedIn(service: TestService, person: Pick<Person, 'cookie'>): Promise<boolean> {
  return (await visit(service, person, '/account/name')).status === 200;
}

/** Waits for a mail to an address with `about` in its subject, and returns the newest one's text. */
export async function mailTo({ service }: TestService, address: string, about: string): Promise<string> {
  const folder = join(service.settings.dataDir, 'mail');
  const find = () =>
    readMails(folder).findLast((text) => text.startsWith(`To: ${address}\n`) && text.split('\n')[1]!.includes(about));
  await until(`a mail to ${address} about "${about}"`, () => find() !== undefined);
  return find()!;
}

function readMails(folder: string): string[] {
  try {
    return readdirSync(folder)
      .sort()
      .map((name) => readFileSync(join(folder, name), 'utf8'));
  } catch {
    return [];
  }
}

/** The six-digit code in a mail. */
export function codeIn(mail: string): string {
  return /Subject: (\d{6}) /.exec(mail)?.[1] ?? '';
}
