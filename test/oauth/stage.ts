import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { Browser } from 'playwright-core';
import { insertKey } from '../../src/identity/app-keys.ts';
import type { NewApp } from '../../src/identity/apps.ts';
import { startBrowser } from '../kit/browser/browser.ts';
import { startGameSite } from '../kit/browser/game-site.ts';
import { openBrowser, type Browser as Visitor } from '../kit/service/oauth-browser.ts';
import { createPerson, type Person } from '../kit/service/people.ts';
import type { TestService } from '../kit/service/service.ts';
import { sharedService } from '../kit/service/shared-service.ts';

export type StageApp = {
  readonly id: string;
  /** How an existing client asks for an authorization; `more`: the rest of its query. */
  authorize(more?: string): string;
  /** What an existing client's server makes of a code; the access token's owner. */
  redeem(code: string): Promise<string>;
};

export type Stage = {
  readonly service: TestService;
  readonly browser: Browser;
  /** Two sites of games, both other sites than ours. */
  readonly game: string;
  readonly other: string;
  createApp(options?: Partial<NewApp>): Promise<StageApp>;
  createPerson(): Promise<Person>;
  /** As much of a browser as pages without scripts need, with somebody signed in. */
  visitor(person: Person): Visitor;
};

/** The service, a browser without third-party cookies, and games as existing clients. */
export async function setStage(t: TestContext): Promise<Stage> {
  const service = await sharedService(t);
  const browser = await startBrowser(t);
  const [game, other] = [await startGameSite(t), await startGameSite(t)];
  const { origin } = service;
  const { db } = service.service;
  return {
    service,
    browser,
    game,
    other,
    createPerson: () => createPerson(service),
    visitor(person) {
      const visitor = openBrowser(origin);
      const [name = '', value = ''] = person.cookie.split('=');
      visitor.setCookie(name, value);
      return visitor;
    },
    async createApp(options = {}) {
      const { id } = await service.createApp({ frameAncestors: [game], ...options });
      const secret = await db.transaction((tx) => insertKey(tx, id, { kind: 'client' }));
      return {
        id,
        authorize: (more = '') => `${origin}/oauth/authorize?response_type=code&client_id=${id}&inline=true${more}`,
        async redeem(code) {
          const answer = await fetch(`${origin}/oauth/token`, {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify({ client_id: id, client_secret: secret, grant_type: 'authorization_code', code }),
          });
          const tokens = (await answer.json()) as Record<string, string>;
          assert.equal(answer.status, 200, JSON.stringify(tokens));
          const me = await fetch(`${origin}/v1/me`, { headers: { authorization: `Bearer ${tokens.access_token}` } });
          return ((await me.json()) as { userId: string }).userId;
        },
      };
    },
  };
}
