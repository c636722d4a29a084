import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import type { TestContext } from 'node:test';
import { type AppId, newUserId, type UserId } from '../../../src/base/ids.ts';
import { insertKey } from '../../../src/identity/app-keys.ts';
import type { NewApp } from '../../../src/identity/apps.ts';
import { insertFullUser } from '../../../src/identity/users.ts';
import { startSession } from '../../../src/oauth/sessions.ts';
import { sessionCookieName } from '../../../src/web/session-cookie.ts';
import { type Browser, openBrowser } from './oauth-browser.ts';
import { startTestService, type TestService } from './service.ts';
import { sharedService } from './shared-service.ts';

export const CALLBACK = 'https://game.example/callback';

export type Client = { readonly id: AppId; readonly secret: string };

export type World = TestService & {
  createClient(options?: Partial<NewApp>): Promise<Client>;
  createUser(): Promise<UserId>;
  /** A browser of its own; with a user: signed in. */
  browser(userId?: UserId): Promise<Browser>;
  /** The code of an authorization that the user agrees to. */
  authorize(browser: Browser, client: Client, parameters?: Record<string, string>): Promise<URLSearchParams>;
  /** POST /oauth/token as a form, unless told otherwise. */
  token(
    body: Record<string, unknown>,
    how?: { path?: string; json?: boolean; headers?: Record<string, string> },
  ): Promise<Answer>;
  /** Tokens of a new user's authorization. */
  tokens(client: Client, parameters?: Record<string, string>): Promise<Tokens>;
};

export type Answer = { readonly status: number; readonly body: Record<string, string>; readonly headers: Headers };

export type Tokens = {
  readonly userId: UserId;
  readonly access_token: string;
  readonly refresh_token: string;
  readonly scope: string;
};

/** The whole service, games as clients, and players in browsers. */
export async function startWorld(t: TestContext, options: Parameters<typeof startTestService>[1] = {}): Promise<World> {
  return worldOf(await startTestService(t, options));
}

/** The same, of the service that tests share. */
export async function sharedWorld(t: TestContext): Promise<World> {
  return worldOf(await sharedService(t));
}

function worldOf(service: TestService): World {
  const { origin } = service;
  const { db, publicUrl } = service.service;

  const token: World['token'] = async (body, { path = '/oauth/token', json = false, headers = {} } = {}) => {
    const answer = await fetch(origin + path, {
      method: 'POST',
      headers: { 'content-type': json ? 'application/json' : 'application/x-www-form-urlencoded', ...headers },
      body: json ? JSON.stringify(body) : new URLSearchParams(body as Record<string, string>),
    });
    return { status: answer.status, body: (await answer.json()) as Record<string, string>, headers: answer.headers };
  };

  const world: World = {
    ...service,
    async createClient(app = {}) {
      const { id } = await service.createApp({ redirectUris: [CALLBACK], ...app });
      return { id, secret: await db.transaction((tx) => insertKey(tx, id, { kind: 'client' })) };
    },
    async createUser() {
      const email = `${randomBytes(6).toString('hex')}@player.example`;
      return (await insertFullUser(db, { id: newUserId(), email, displayName: 'Ada' }))!.id;
    },
    async browser(userId) {
      const browser = openBrowser(origin);
      if (userId) browser.setCookie(sessionCookieName(publicUrl), await startSession(db, userId, ['pwd']));
      return browser;
    },
    async authorize(browser, client, parameters = {}) {
      const answer = await browser.arrive(authorizeUrl(origin, client, parameters));
      const sent = answer.status === 200 ? await browser.answer(answer, 'allow') : answer;
      assert.equal(sent.status, 303, sent.body);
      return new URL(sent.location!).searchParams;
    },
    token,
    async tokens(client, parameters = {}) {
      const userId = await world.createUser();
      const answer = await world.authorize(await world.browser(userId), client, parameters);
      const { status, body } = await token(redemption(client, answer.get('code')!));
      assert.equal(status, 200, JSON.stringify(body));
      return { userId, ...body } as unknown as Tokens;
    },
  };
  return world;
}

/** With a state, as clients do that go by the book: existing ones send none, and get other answers. */
export function authorizeUrl(origin: string, client: Client, parameters: Record<string, string> = {}): string {
  const all = { response_type: 'code', client_id: client.id, redirect_uri: CALLBACK, state: 'state', ...parameters };
  // An empty one is left out.
  const given = Object.entries(all).filter(([, value]) => value !== '');
  return `${origin}/oauth/authorize?${new URLSearchParams(given)}`;
}

/** As existing clients redeem a code: no redirect address. */
export function redemption({ id, secret }: Client, code: string): Record<string, string> {
  return { grant_type: 'authorization_code', client_id: id, client_secret: secret, code };
}

export function refreshing({ id, secret }: Client, refreshToken: string): Record<string, string> {
  return { grant_type: 'refresh_token', client_id: id, client_secret: secret, refresh_token: refreshToken };
}

/** RFC 7636. */
export function pkce(): {
  readonly verifier: string;
  readonly challenge: { code_challenge: string; code_challenge_method: string };
} {
  const verifier = randomBytes(32).toString('base64url');
  const code_challenge = createHash('sha256').update(verifier).digest('base64url');
  return { verifier, challenge: { code_challenge, code_challenge_method: 'S256' } };
}
