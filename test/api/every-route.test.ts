import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RouteOptions } from 'fastify';
import type { Operation } from '../../src/api/describe/describe.ts';
import type { ProblemCode } from '../../src/base/problems.ts';
import { hashSecret } from '../../src/base/secrets.ts';
import { issueKey } from '../../src/features/keys/keys.ts';
import { SCOPES, type Scope } from '../../src/identity/callers.ts';
import { revokeGuestTokens } from '../../src/identity/guest-tokens.ts';
import { ALL_KEY_SCOPES } from '../../src/identity/key-scopes.ts';
import { OPERATOR } from '../../src/service/managers.ts';
import { assertNothingMoves, assertProblem, call } from '../kit/service/call.ts';
import { tokenWith } from '../kit/service/oauth-token.ts';
import { createPerson } from '../kit/service/people.ts';
import { POSTS } from '../kit/service/posts.ts';
import type { TestApp } from '../kit/service/service.ts';
import { sharedService } from '../kit/service/shared-service.ts';
import { resume, suspend } from '../kit/service/stopping.ts';
import { keyWith } from '../kit/unit/callers.ts';
import { revokeOtherSecrets, revokeSecret } from '../rows/apps.ts';
import { ageGuestTokens } from '../rows/users.ts';

/** Paths under `/v1` that are not operations of the API: OAuth has its own form of errors. */
const OTHERS = ['/v1/oauth/token'];

const methodsOf = ({ method }: RouteOptions) => [method].flat();

test('every route of the API refuses every wrong credential', async (t) => {
  const s = await sharedService(t);
  const { app, service } = s;
  const { db } = service;
  const inApi = s.routes.filter(({ url }) => url.startsWith('/v1/') && !OTHERS.includes(url));
  const operations = inApi.flatMap((route) => {
    const { operation } = (route.config ?? {}) as { operation?: Operation };
    // A public route refuses nobody.
    const isGated = operation && Object.keys(operation.admits).length > 0;
    return isGated ? methodsOf(route).map((method) => ({ method, url: route.url, admits: operation.admits })) : [];
  });

  const [game, other] = [await s.createApp({ autoApprove: true }), await s.createApp({ autoApprove: true })];
  const guest = await s.createGuest(game);
  const person = await createPerson(s);
  const key = (of: TestApp, scopes: Parameters<typeof issueKey>[3] & { kind: 'server' }) =>
    issueKey(service, OPERATOR, of.id, scopes);
  const user = (of: TestApp, scopes: readonly Scope[] = SCOPES) => tokenWith(service, person.userId, of.id, scopes);
  const { id: requestId } = (
    await call(app, 'POST /v1/requests', { token: guest.accessToken, body: { tokens: 1, appId: game.id } })
  ).json();
  /** A path with the game's own ids. */
  const path = (url: string) =>
    url.replace('/guests/:id', `/guests/${guest.userId}`).replace(':id', requestId).replace(':address', guest.address);

  /** Sends each call of `which` and asserts its refusal. */
  const refused = async (
    token: string | undefined,
    status: number,
    code: ProblemCode,
    which: (admits: Operation['admits']) => boolean = () => true,
  ) => {
    let tried = 0;
    for (const { method, url, admits } of operations) {
      if (!which(admits)) continue;
      tried++;
      // A broken body must not be validated: strangers learn nothing about validation.
      for (const text of method === 'POST' ? [undefined, '{'] : [undefined]) {
        const answer = await call(app, `${method} ${path(url)}`, { ...(token && { token }), ...(text && { text }) });
        if (method === 'HEAD') assert.equal(answer.statusCode, status, url);
        else assertProblem(answer, status, code);
        if (status === 401 || code === 'insufficient-scope') assert.ok(answer.headers['www-authenticate'], url);
      }
    }
    assert.ok(tried > 0);
  };

  await t.test('each route is an operation or answers 405', async () => {
    assert.ok(operations.length > 10);
    for (const route of inApi) {
      const { operation } = (route.config ?? {}) as { operation?: Operation };
      if (operation || methodsOf(route).includes('OPTIONS')) continue;
      const answer = await call(app, `${methodsOf(route).find((method) => method !== 'HEAD')} ${path(route.url)}`);
      assertProblem(answer, 405, 'method-not-allowed');
    }
  });

  await t.test('every path of the API and of the pages refuses a method it does not have', async () => {
    for (const { url } of s.routes.filter((route) => !/[*(]/.test(route.url))) {
      const answer = await call(app, `PURGE ${path(url)}`);
      assert.deepEqual([answer.statusCode, typeof answer.headers.allow], [405, 'string'], url);
    }
  });

  await t.test('a refused method is answered in the form that other errors of the path have', async () => {
    for (const [url, type] of [
      ['/sign-in', 'text/html'],
      ['/oauth/authorize', 'text/html'],
      ['/passkeys/sign-in', 'application/json'],
      ['/docs/search.json', 'application/problem+json'],
    ] as const) {
      const { statusCode, headers } = await call(app, `PURGE ${url}`);
      assert.deepEqual([statusCode, headers['content-type']?.toString().split(';')[0]], [405, type], url);
      assert.deepEqual([headers['cache-control'], headers['x-content-type-options']], ['no-store', 'nosniff'], url);
    }
  });

  await t.test('a call without a credential is refused', () => refused(undefined, 401, 'token-missing'));
  await t.test('a malformed credential is refused', () => refused('no"token', 401, 'token-invalid'));
  for (const prefix of ['qa_', 'qk_', 'qo_', 'qs_', 'qr_', '']) {
    await t.test(`an unknown credential ${prefix}… is refused`, () =>
      refused(prefix + 'x'.repeat(43), 401, 'token-invalid'),
    );
  }
  await t.test("a guest's page token is refused", () => refused(guest.pageToken, 401, 'token-invalid'));
  await t.test('an expired credential is refused', async () => {
    const { accessToken } = await s.createGuest(game);
    await ageGuestTokens(db, { hash: hashSecret(accessToken) }, '366 days');
    await refused(accessToken, 401, 'token-expired');
  });
  await t.test('a revoked credential is refused', async () => {
    const { userId, accessToken } = await s.createGuest(game);
    const serverKey = await key(other, keyWith(ALL_KEY_SCOPES));
    await revokeGuestTokens(db, userId);
    await revokeSecret(db, other.id, serverKey);
    await refused(accessToken, 401, 'token-invalid');
    await refused(serverKey, 401, 'token-invalid');
  });

  await t.test('every credential of a suspended app is refused, until the app is resumed', async () => {
    const stopped = await s.createApp();
    const tokens = [stopped.serverKey, (await s.createGuest(stopped)).accessToken, await user(stopped)];
    await suspend(service, stopped.id);
    for (const token of tokens) await refused(token, 403, 'app-suspended');
    await resume(service, stopped.id);
    for (const token of tokens) {
      const answer = await call(app, 'GET /v1/me', { token });
      assert.equal(answer.statusCode, token === stopped.serverKey ? 403 : 200);
      assert.doesNotMatch(answer.body, /app-suspended/);
    }
  });

  await t.test('a credential of the wrong kind is refused', async () => {
    await refused(guest.accessToken, 403, 'credential-not-allowed', ({ user }) => user === undefined);
    await refused(await user(game), 403, 'credential-not-allowed', (admits) => admits.user === undefined);
    await refused(game.serverKey, 403, 'credential-not-allowed', (admits) => admits.app === undefined);
  });

  await t.test('a credential without the scope is refused', async () => {
    for (const scope of SCOPES) {
      const rest = await user(
        game,
        SCOPES.filter((held) => held !== scope),
      );
      if (operations.some(({ admits }) => admits.user === scope)) {
        await refused(rest, 403, 'insufficient-scope', (admits) => admits.user === scope);
      }
    }
    for (const scope of ALL_KEY_SCOPES) {
      const scopes = ALL_KEY_SCOPES.filter((held) => held !== scope);
      const rest = await key(game, keyWith(scopes));
      if (operations.some(({ admits }) => admits.app === scope)) {
        await refused(rest, 403, 'insufficient-scope', (admits) => admits.app === scope);
      }
      await revokeSecret(db, game.id, rest);
    }
  });

  await t.test("another app's credential is refused", async () => {
    const ofApp = await key(other, keyWith(ALL_KEY_SCOPES));
    const ofUser = (await s.createGuest(other)).accessToken;
    for (const { method, url, admits } of operations) {
      if (!url.includes(':')) continue;
      // An app can have only two keys at a time; some calls bring their own.
      await revokeOtherSecrets(db, game.id, game.serverKey);
      const post = method === 'POST' ? await POSTS[url]!(s, game) : undefined;
      await s.settled();
      await assertNothingMoves(service, async () => {
        for (const [token, admitted] of [
          [ofApp, admits.app],
          [ofUser, admits.user],
        ] as const) {
          if (admitted === undefined) continue;
          const answer = await call(app, post?.what ?? `${method} ${path(url)}`, {
            token,
            ...(post && { body: post.body }),
          });
          const code = method === 'HEAD' ? 'not-found' : answer.json().code;
          // A caller that names another app learns only that, not what exists.
          assert.ok(code === 'not-found' || code === 'app-mismatch', `${method} ${url}: ${answer.body}`);
          if (code === 'not-found') assert.equal(answer.statusCode, 404);
        }
      });
    }
  });
});
