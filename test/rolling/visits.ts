import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { insertKey } from '../../src/identity/app-keys.ts';
import { hashPassword, storePassword } from '../../src/identity/passwords.ts';
import type { Service } from '../../src/service/service.ts';
import { openBrowser } from '../kit/service/oauth-browser.ts';
import { createPerson, PASSWORD, type Person } from '../kit/service/people.ts';
import type { TestApp } from '../kit/service/service.ts';

/** What players and games do besides paying, through the proxy, as long as it lasts. */
export type Visits = {
  /** Repeats every kind until stopped. */
  run(stop: AbortSignal): Promise<void>;
  /** How often each kind was answered as it should be. */
  readonly counts: ReadonlyMap<string, number>;
  /** Every other outcome. */
  readonly faults: readonly string[];
};

type Kind = (stop: AbortSignal) => Promise<void>;
const CALLBACK = 'https://game.test/';
const PAUSE_MS = 20;

/** `origin`: of the proxy, which is the players' origin too. */
export async function openVisits(operator: Service, origin: string, game: TestApp): Promise<Visits> {
  const service = { ...operator, publicUrl: origin };
  const person = await createPerson({ service });
  await storePassword(service.db, person.userId, await hashPassword(PASSWORD));
  const tokens = await authorize(service, origin, game, person);
  const asked = await call(`${origin}/v1/requests`, 201, {
    method: 'POST',
    headers: { authorization: `Bearer ${tokens.access}`, 'content-type': 'application/json' },
    body: JSON.stringify({ tokens: 5, appId: game.id, description: 'never decided' }),
  });
  const { id } = JSON.parse(asked) as { id: string };

  const server = { authorization: `Bearer ${game.serverKey}` };
  const { cookie } = person;
  const kinds: Readonly<Record<string, Kind>> = {
    'a read of the API': async () => {
      await call(`${origin}/v1/accounts/${game.address}/balance`, 200, { headers: server });
      await call(`${origin}/v1/events?limit=5`, 200, { headers: server });
    },
    'a page with a session': async () => {
      await call(`${origin}/account`, 200, { headers: { cookie } });
      await call(`${origin}/docs`, 200);
    },
    'a sign-in': async (stop) => {
      const form = new URLSearchParams({ email: person.email, password: PASSWORD, return_to: '/account' });
      // More than some sign-ins in an hour are refused with 429, which is an answer too.
      await call(`${origin}/sign-in`, [303, 429], { method: 'POST', headers: { origin }, body: form });
      await delay(2_000, undefined, { signal: stop }).catch(() => {});
    },
    'a refresh of OAuth': async () => {
      await tokens.refresh();
      await call(`${origin}/v1/me`, 200, { headers: { authorization: `Bearer ${tokens.access}` } });
    },
    'a stream of progress': (stop) => follow(`${origin}/account/progress?requests=${id}`, cookie, stop),
  };

  const counts = new Map<string, number>();
  const faults: string[] = [];
  return {
    counts,
    faults,
    async run(stop) {
      const repeat = async ([name, once]: [string, Kind]) => {
        while (!stop.aborted) {
          await once(stop).then(
            () => counts.set(name, (counts.get(name) ?? 0) + 1),
            (error: Error) => faults.push(`${name}: ${error.message} ${error.cause ?? ''}`.slice(0, 300)),
          );
          await delay(PAUSE_MS);
        }
      };
      await Promise.all(Object.entries(kinds).map(repeat));
    },
  };
}

/** Throws unless the answer has this status, or one of these, and is complete. */
async function call(url: string, status: number | number[], init: RequestInit = {}): Promise<string> {
  const answer = await fetch(url, { redirect: 'manual', ...init });
  const text = await answer.text();
  if (![status].flat().includes(answer.status))
    throw new Error(`${init.method ?? 'GET'} ${url}: ${answer.status} ${text.slice(0, 300)}`);
  return text;
}

/** The tokens of a person who agreed to what the game asked for. */
async function authorize({ db, publicUrl }: Service, origin: string, game: TestApp, { cookie }: Person) {
  const secret = await db.transaction((tx) => insertKey(tx, game.id, { kind: 'client' }));
  const browser = openBrowser(origin);
  const [name, value] = cookie.split(/=(.*)/s) as [string, string];
  browser.setCookie(name, value);
  const client = { client_id: game.id, client_secret: secret };
  const query = { response_type: 'code', client_id: game.id, redirect_uri: CALLBACK, state: 's' };
  const scope = 'openid wallet requests';
  const page = await browser.arrive(`${publicUrl}/oauth/authorize?${new URLSearchParams({ ...query, scope })}`);
  const sent = page.status === 200 ? await browser.answer(page, 'allow') : page;
  const code = new URL(sent.location ?? assert.fail(sent.body)).searchParams.get('code');
  const redeem = async (fields: Record<string, string>) => {
    const body = new URLSearchParams({ ...client, ...fields });
    return JSON.parse(await call(`${origin}/oauth/token`, 200, { method: 'POST', body })) as Record<string, string>;
  };
  let { access_token, refresh_token } = await redeem({ grant_type: 'authorization_code', code: code! });
  return {
    get access() {
      return access_token!;
    },
    async refresh() {
      ({ access_token, refresh_token } = await redeem({ grant_type: 'refresh_token', refresh_token: refresh_token! }));
    },
  };
}

/** Follows a stream until its process ends it, as a browser does before it reconnects. */
async function follow(url: string, cookie: string, stop: AbortSignal): Promise<void> {
  try {
    const stream = await fetch(url, { headers: { cookie, accept: 'text/event-stream' }, signal: stop });
    if (stream.status !== 200) throw new Error(`GET ${url}: ${stream.status} ${await stream.text()}`);
    let text = '';
    for await (const chunk of stream.body!.pipeThrough(new TextDecoderStream())) text += chunk;
    if (!text.includes('data: ')) throw new Error(`the stream said nothing but "${text}"`);
  } catch (error) {
    if (!stop.aborted) throw error;
  }
}
