import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { UserId } from '../../src/base/ids.ts';
import { withdrawAccess } from '../../src/features/accounts/connected-games.ts';
import { findConsent } from '../../src/identity/consents.ts';
import { startSession } from '../../src/oauth/sessions.ts';
import { gameOfReturn } from '../../src/pages/oauth/interaction-address.ts';
import { sessionCookieName } from '../../src/web/session-cookie.ts';
import { type Browser, hiddenFields, type Page } from '../kit/service/oauth-browser.ts';
import { authorizeUrl, CALLBACK, type Client, redemption, sharedWorld } from '../kit/service/oauth-world.ts';
import { ageSessions } from '../rows/oauth.ts';
import { closeUserAlone } from '../rows/users.ts';

test('signing in and consent', async (t) => {
  const world = await sharedWorld(t);
  const { db, publicUrl } = world.service;
  const client = await world.createClient({ name: 'Dragon “Quest” <b>' });
  const url = (parameters: Record<string, string> = {}, of: Client = client) =>
    authorizeUrl(world.origin, of, parameters);
  const answerOf = ({ location = '' }: Page) => {
    assert.ok(location.startsWith(CALLBACK), location);
    return Object.fromEntries(new URL(location).searchParams);
  };
  /** What the sign-in page does. */
  const signIn = async (browser: Browser, userId: UserId) =>
    browser.setCookie(sessionCookieName(publicUrl), await startSession(db, userId, ['pwd']));
  const returnOf = ({ location }: Page) => new URL(location!).searchParams.get('return_to')!;

  await t.test('a signed-out player signs in and consents, and is not asked again', async () => {
    const userId = await world.createUser();
    const browser = await world.browser();
    const away = await browser.arrive(url({ scope: 'openid profile', login_hint: 'ada@player.example' }));
    assert.equal(new URL(away.location!).pathname, '/sign-in');
    assert.equal(new URL(away.location!).searchParams.get('login_hint'), 'ada@player.example');
    assert.match(returnOf(away), /^\/oauth\/interaction\/[\w-]+$/);
    assert.equal((await gameOfReturn(world.service, returnOf(away)))?.app.id, client.id);
    for (const other of ['/account', '/oauth/interaction/x', '/oauth/interaction/', '']) {
      assert.equal(await gameOfReturn(world.service, other), null);
    }

    await signIn(browser, userId);
    const page = await browser.arrive(returnOf(away));
    assert.equal(page.status, 200);
    assert.match(page.body, /“Dragon ’Quest’ &lt;b&gt;”/);
    assert.match(page.body, /recognise you/);
    assert.match(page.body, /see your display name/);
    assert.doesNotMatch(page.body, /e-mail address|ask you for quarters/);
    assert.match(page.body, /game\.example/);
    assert.match(page.headers.get('content-security-policy')!, /form-action 'self' https:;.*frame-ancestors 'none'/);
    assert.equal(page.headers.get('cross-origin-opener-policy'), 'unsafe-none');
    assert.equal(await findConsent(db, userId, client.id), null);
    assert.ok(answerOf(await browser.answer(page, 'allow')).code);
    assert.deepEqual((await findConsent(db, userId, client.id))?.scopes, ['openid', 'profile']);

    for (const parameters of [{ scope: 'openid profile' }, { scope: 'profile' }, { scope: 'openid', prompt: 'none' }]) {
      assert.ok(answerOf(await browser.arrive(url(parameters))).code);
    }
    const more = await browser.arrive(url({ scope: 'openid wallet' }));
    assert.equal(more.status, 200);
    assert.match(more.body, /see your account, its balance and your rewards/);
    assert.ok(answerOf(await browser.answer(more, 'allow')).code);
    assert.deepEqual((await findConsent(db, userId, client.id))?.scopes, ['openid', 'profile', 'wallet']);
    assert.ok(answerOf(await browser.arrive(url({ scope: 'openid profile wallet', auto_authorize: 'true' }))).code);

    await withdrawAccess(world.service, userId, client.id);
    assert.equal((await browser.arrive(url({ scope: 'openid' }))).status, 200);
  });

  await t.test('force_signup leads to sign-up and keeps inline', async () => {
    const browser = await world.browser();
    const page = await browser.arrive(url({ force_signup: 'true', inline: 'true' }));
    const { pathname, searchParams } = new URL(page.location!);
    assert.equal(pathname, '/sign-up');
    assert.match(searchParams.get('return_to')!, /^\/oauth\/interaction\//);
    assert.equal(searchParams.get('inline'), 'true');
    await signIn(browser, await world.createUser());
    const consent = await browser.arrive(searchParams.get('return_to')!);
    assert.match(consent.body, /<body class="inline">/);
  });

  await t.test('a refusal returns access_denied and is not remembered', async () => {
    const userId = await world.createUser();
    const browser = await world.browser(userId);
    const page = await browser.arrive(url({ state: 's' }));
    const { iss, error_description: _, ...answer } = answerOf(await browser.answer(page, 'refuse'));
    assert.deepEqual([answer, iss], [{ error: 'access_denied', state: 's' }, world.origin]);
    assert.equal(await findConsent(db, userId, client.id), null);
    // The page's form is spent.
    assert.equal((await browser.answer(page, 'allow')).status, 401);
    assert.equal(await findConsent(db, userId, client.id), null);
  });

  await t.test('prompt=none shows no page', async () => {
    assert.equal(answerOf(await (await world.browser()).arrive(url({ prompt: 'none' }))).error, 'login_required');
    const browser = await world.browser(await world.createUser());
    assert.equal(answerOf(await browser.arrive(url({ prompt: 'none' }))).error, 'consent_required');
    await world.authorize(browser, client);
    assert.ok(answerOf(await browser.arrive(url({ prompt: 'none' }))).code);
    assert.equal(answerOf(await browser.arrive(url({ prompt: 'none', max_age: '0' }))).error, 'login_required');
  });

  await t.test('prompt=consent asks every time', async () => {
    const browser = await world.browser(await world.createUser());
    await world.authorize(browser, client);
    const page = await browser.arrive(url({ prompt: 'consent' }));
    assert.equal(page.status, 200);
    assert.ok(answerOf(await browser.answer(page, 'allow')).code);
  });

  await t.test('prompt=login and max_age require a fresh sign-in', async () => {
    const userId = await world.createUser();
    const browser = await world.browser(userId);
    await world.authorize(browser, client);
    for (const parameters of [{ prompt: 'login' }, { max_age: '0' }, { prompt: 'login', max_age: '1000' }]) {
      const away = await browser.arrive(url(parameters));
      assert.equal(new URL(away.location!).searchParams.get('again'), 'true');
      // Coming back without having signed in changes nothing.
      assert.equal((await browser.arrive(returnOf(away))).location, away.location);
      await signIn(browser, userId);
      assert.ok(answerOf(await browser.arrive(returnOf(away))).code);
    }
    await ageSessions(db, { userId }, '1000 seconds');
    assert.ok(answerOf(await browser.arrive(url({ max_age: '2000' }))).code);
    const away = await browser.arrive(url({ max_age: '500' }));
    assert.equal(new URL(away.location!).pathname, '/sign-in');
    await signIn(browser, userId);
    assert.ok(answerOf(await browser.arrive(returnOf(away))).code);
  });

  await t.test('prompt=select_account asks somebody who is signed in which account to use', async () => {
    const [userId, other] = [await world.createUser(), await world.createUser()];
    const browser = await world.browser(userId);
    await world.authorize(browser, client);
    const choice = await browser.arrive(url({ prompt: 'select_account' }));
    assert.equal(choice.status, 200, 'although they have agreed');
    assert.match(choice.body, /Choose an account/);
    assert.ok(answerOf(await browser.answer(choice, 'continue')).code, 'they go on as they are');

    const second = await browser.arrive(url({ prompt: 'select_account' }));
    const link = /<a class="secondary" href="([^"]+)"/.exec(second.body)![1]!.replaceAll('&amp;', '&');
    const page = await browser.arrive(link);
    assert.equal(page.status, 200, 'nobody is sent back for being signed in');
    assert.match(page.body, /<input[^>]*name="email"(?![^>]*readonly)/);
    assert.match(page.body, /href="\/sign-up\?[^"]*any=true/, 'nor for wanting a new account');
    const back = new URL(link, world.origin).searchParams.get('return_to')!;
    assert.match((await browser.arrive(back)).body, /Choose an account/, 'without a sign-in nothing changes');
    await signIn(browser, other);
    const consent = await browser.arrive(back);
    assert.equal(consent.status, 200, 'the other one has not agreed yet');
    assert.ok(answerOf(await browser.answer(consent, 'allow')).code);

    const away = await (await world.browser()).arrive(url({ prompt: 'select_account' }));
    assert.equal(new URL(away.location!).pathname, '/sign-in', 'who is not signed in has nothing to choose from');
    assert.equal(answerOf(await browser.arrive(url({ prompt: 'select_account none' }))).error, 'invalid_request');
  });

  await t.test(
    'a choice is that of the session that was asked, and asks for a sign-in where the game does',
    async () => {
      const [userId, other] = [await world.createUser(), await world.createUser()];
      const browser = await world.browser(userId);
      await world.authorize(browser, client);
      const choice = await browser.arrive(url({ prompt: 'select_account' }));
      await signIn(browser, other);
      const late = await browser.answer(choice, 'continue');
      assert.equal(late.location?.startsWith(CALLBACK) ?? false, false, 'nobody goes on as somebody else');
      await signIn(browser, userId);
      const both = await browser.arrive(url({ prompt: 'select_account login' }));
      const away = await browser.answer(both, 'continue');
      assert.equal(new URL(away.location!).searchParams.get('again'), 'true');
    },
  );

  await t.test('prompt=create leads to the sign-up page, also somebody who is signed in', async () => {
    for (const userId of [undefined, await world.createUser()]) {
      const browser = await world.browser(userId);
      const away = await browser.arrive(url({ prompt: 'create', login_hint: 'new@player.example' }));
      const address = new URL(away.location!);
      assert.equal(address.pathname, '/sign-up');
      const page = await browser.arrive(address.href);
      assert.equal(page.status, 200);
      assert.match(page.body, /value="new@player\.example"/);
      assert.match(page.body, /href="\/sign-in\?[^"]*any=true/);
      assert.equal(
        (await browser.arrive(returnOf(away))).location,
        away.location,
        'without an account nothing changes',
      );
      await signIn(browser, await world.createUser());
      const consent = await browser.arrive(returnOf(away));
      assert.ok(answerOf(await browser.answer(consent, 'allow')).code);
    }
    const browser = await world.browser(await world.createUser());
    assert.equal(answerOf(await browser.arrive(url({ prompt: 'create none' }))).error, 'invalid_request');
    assert.equal(answerOf(await browser.arrive(url({ prompt: 'wallet' }))).error, 'invalid_request');
  });

  await t.test('prompt=login consent asks for a sign-in and for consent, once each', async () => {
    const userId = await world.createUser();
    const browser = await world.browser(userId);
    await world.authorize(browser, client);
    const away = await browser.arrive(url({ prompt: 'login consent' }));
    await signIn(browser, userId);
    const page = await browser.arrive(returnOf(away));
    assert.equal(page.status, 200);
    assert.ok(answerOf(await browser.answer(page, 'allow')).code);
  });

  await t.test('id_token_hint requires that user to be signed in', async () => {
    const userId = await world.createUser();
    const browser = await world.browser(userId);
    const { code } = Object.fromEntries(await world.authorize(browser, client));
    const { id_token_hint } = { id_token_hint: (await world.token(redemption(client, code!))).body.id_token! };
    assert.ok(answerOf(await browser.arrive(url({ id_token_hint, prompt: 'none' }))).code);

    const stranger = await world.createUser();
    await signIn(browser, stranger);
    assert.equal(answerOf(await browser.arrive(url({ id_token_hint, prompt: 'none' }))).error, 'login_required');
    const away = await browser.arrive(url({ id_token_hint }));
    await signIn(browser, await world.createUser());
    assert.equal(answerOf(await browser.arrive(returnOf(away))).error, 'login_required');
    const second = await browser.arrive(url({ id_token_hint }));
    await signIn(browser, userId);
    assert.ok(answerOf(await browser.arrive(returnOf(second))).code);
  });

  await t.test('the consent form is accepted only from its own page and browser', async () => {
    const userId = await world.createUser();
    const browser = await world.browser(userId);
    const page = await browser.arrive(url());
    const fields = hiddenFields(page);
    const other = await world.browser(await world.createUser());
    const theirs = hiddenFields(await other.arrive(url()));
    const refused = async (form: Record<string, string>, headers: Record<string, string>, status: number) => {
      const cookies = [sessionCookieName(publicUrl)].map((name) => `${name}=${browser.cookie(name)}`);
      const uid = page.url.split('/').at(-1);
      const answer = await fetch(page.url, {
        method: 'POST',
        redirect: 'manual',
        headers: { cookie: [...cookies, `quarters_interaction=${uid}`].join('; '), ...headers },
        body: new URLSearchParams(form),
      });
      assert.deepEqual([answer.status, answer.headers.get('location')], [status, null]);
      assert.equal(await findConsent(db, userId, client.id), null);
    };
    const { origin } = world;
    await refused({ ...fields, decision: 'allow', csrf: '' }, { origin }, 403);
    await refused({ ...fields, decision: 'allow', csrf: theirs.csrf! }, { origin }, 403);
    await refused({ ...fields, decision: 'allow' }, { origin: 'https://evil.example' }, 403);
    await refused({ ...fields, decision: 'allow' }, { origin: 'null' }, 403);
    await refused({ ...fields, decision: 'allow' }, { 'sec-fetch-site': 'cross-site' }, 403);
    await refused({ ...fields, decision: 'perhaps' }, { origin }, 400);
    await refused(fields, { origin }, 400);

    // Somebody is led to what another has begun.
    const victim = await world.browser(await world.createUser());
    const led = await victim.arrive(page.url);
    assert.deepEqual([led.status, led.location], [401, undefined]);
    const resume = await victim.arrive(page.url.replace('interaction', 'authorize'));
    assert.deepEqual([resume.status, resume.location], [400, undefined]);
    assert.match(resume.body, /This page has expired/);
    // And it still works where it was begun.
    assert.ok(answerOf(await browser.answer(page, 'allow')).code);
  });

  await t.test('one user’s consent never counts for another', async () => {
    const [first, second] = [await world.createUser(), await world.createUser()];
    const browser = await world.browser(first);
    const page = await browser.arrive(url());
    await signIn(browser, second);
    assert.equal((await browser.visit(page.url)).status, 401);
    assert.equal((await browser.answer(page, 'allow')).status, 403);
    for (const userId of [first, second]) assert.equal(await findConsent(db, userId, client.id), null);

    // Between the answer and the provider's next step.
    const again = await world.browser(first);
    const asked = await again.arrive(url());
    const step = await again.visit(asked.url, { ...hiddenFields(asked), decision: 'allow' });
    await signIn(again, second);
    const stopped = await again.visit(step.location!);
    assert.deepEqual([stopped.status, stopped.location], [400, undefined]);
    assert.match(stopped.body, /This page has expired/);
  });

  await t.test('the session of a closed account does not count', async () => {
    const userId = await world.createUser();
    const browser = await world.browser(userId);
    await world.authorize(browser, client);
    await closeUserAlone(db, userId);
    const away = await browser.arrive(url());
    assert.equal(new URL(away.location!).pathname, '/sign-in');
    assert.equal(answerOf(await browser.arrive(url({ prompt: 'none' }))).error, 'login_required');
  });

  await t.test('two authorizations in two tabs do not disturb each other', async () => {
    const userId = await world.createUser();
    const browser = await world.browser(userId);
    const [one, two] = await Promise.all([browser.arrive(url()), browser.arrive(url({ state: 'two' }))]);
    assert.ok(answerOf(await browser.answer(two!, 'allow')).code);
    assert.ok(answerOf(await browser.answer(one!, 'allow')).code);
  });

  await t.test('a forged Host header does not change redirects', async () => {
    const evil = { host: 'evil.example', 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' };
    const begun = await world.app.inject({
      url: url().slice(world.origin.length),
      headers: { ...evil, accept: 'text/html' },
    });
    assert.equal(begun.statusCode, 303);
    assert.doesNotMatch(JSON.stringify(begun.headers), /evil/);
    const discovery = await world.app.inject({ url: '/.well-known/openid-configuration', headers: evil });
    assert.doesNotMatch(discovery.body, /evil/);
    const [row] = await db.query<{ address: string }>(
      `SELECT payload->>'returnTo' AS address FROM oauth_records WHERE model = 'Interaction' ORDER BY created_at DESC LIMIT 1`,
    );
    assert.ok(row!.address.startsWith(`${world.origin}/oauth/authorize/`), row!.address);
  });
});
