import type { LightMyRequestResponse } from 'fastify';
import type { AppId } from '../../../src/base/ids.ts';
import { insertMember } from '../../../src/identity/app-members.ts';
import type { MemberRole } from '../../../src/identity/app-roles.ts';
import { lockApp } from '../../../src/identity/apps.ts';
import { createPerson, type Person } from './people.ts';
import type { TestService } from './service.ts';

type Form = Readonly<Record<string, string>>;

/** A developer who is signed in, without a browser. */
export type Developer = Person & {
  get(path: string): Promise<LightMyRequestResponse>;
  /** Sends a form as our own page does, its hidden token included; `headers` on top. */
  post(path: string, form?: Form, headers?: Record<string, string>): Promise<LightMyRequestResponse>;
};

export async function createDeveloper(service: TestService, options: { minutesAgo?: number } = {}): Promise<Developer> {
  return withForms(service, await createPerson(service, options));
}

/** Lets a person get pages and send forms. */
export function withForms({ app }: TestService, person: Person): Developer {
  return {
    ...person,
    get: (url) => app.inject({ url, headers: { cookie: person.cookie } }),
    post: (url, form = {}, headers = {}) =>
      app.inject({
        method: 'POST',
        url,
        headers: {
          cookie: person.cookie,
          'content-type': 'application/x-www-form-urlencoded',
          'sec-fetch-site': 'same-origin',
          ...headers,
        },
        payload: new URLSearchParams({ csrf: person.csrf, ...form }).toString(),
      }),
  };
}

/** A new app's id, and the secrets its page showed. */
export async function registerApp(developer: Developer, form: Form = {}) {
  const answer = await developer.post('/developer/apps/new', { name: 'Space Race', ...form });
  const { serverKey, clientSecret } = secretsIn(answer.body);
  return {
    id: /action="\/developer\/apps\/([A-Za-z0-9]{20})"/.exec(answer.body)?.[1] ?? '',
    serverKey,
    clientSecret,
    answer,
  };
}

/** Empty where the page shows none. */
export function secretsIn(body: string): { serverKey: string; clientSecret: string } {
  return {
    serverKey: /qk_[A-Za-z0-9]{43}/.exec(body)?.[0] ?? '',
    clientSecret: /qs_[A-Za-z0-9]{43}/.exec(body)?.[0] ?? '',
  };
}

/** What stands beside a field that was refused. */
export function errorBeside(body: string, field: string): string | undefined {
  return new RegExp(`id="${field}-error">([^<]*)<`).exec(body)?.[1];
}

/** Makes somebody a member of an app's team, as an invitation that they accept does. */
export async function addMember(
  { service: { db } }: Pick<TestService, 'service'>,
  appId: string,
  { userId }: Pick<Person, 'userId'>,
  role: MemberRole,
): Promise<void> {
  await db.transaction(async (tx) => {
    await lockApp(tx, appId as AppId);
    await insertMember(tx, appId as AppId, userId, role);
  });
}
