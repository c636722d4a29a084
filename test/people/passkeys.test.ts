import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import fastify from 'fastify';
import type { Browser, Page } from 'playwright-core';
import { listPasskeys, usePasskey as noteUse } from '../../src/identity/passkeys.ts';
import { passwordMatches } from '../../src/identity/passwords.ts';
import { BROWSERS, comes, NO_BROWSER, startBrowser } from '../kit/browser/browser.ts';
import { addPasskey, type Device, newDevice, usePasskey } from '../kit/browser/passkey-device.ts';
import { inTurns } from '../kit/run/turns.ts';
import { sendForm } from '../kit/service/forms.ts';
import { mailTo } from '../kit/service/mailbox.ts';
import { createPerson, type Person } from '../kit/service/people.ts';
import type { TestService } from '../kit/service/service.ts';
import { sharedService } from '../kit/service/shared-service.ts';
import { PASSWORD, personWithPassword } from '../kit/service/with-password.ts';
import { atEnd } from '../kit/unit/at-end.ts';
import { until } from '../kit/unit/until.ts';
import { ageSessions } from '../rows/oauth.ts';
import { changePasskeyChallenges, fillAttemptBudget, forgetAttempts } from '../rows/passing.ts';
import { ago } from '../rows/times.ts';

/** A code by mail was part of the sign-in. */
const BY_CODE = { methods: ['pwd', 'otp'] } as const;

/** A device whose passkey is its owner's, and who is signed out. */
async function ownedDevice(t: TestContext, service: TestService, browser: Browser) {
  const person = await createPerson(service, BY_CODE);
  const device = await newDevice(t, service, browser, person);
  await addPasskey(service, device, 'Phone');
  await device.page.context().clearCookies();
  return { person, device };
}

const complaint = (page: Page) => page.locator('#passkey-error');

/** What the page's script would send, kept from arriving. */
async function withheldAnswer({ page }: Device, origin: string, query = ''): Promise<string> {
  let body: string | null = null;
  await page.route('**/passkeys/sign-in', async (route) => {
    body = route.request().postData();
    await route.abort();
  });
  await page.goto(`${origin}/sign-in${query}`);
  await usePasskey(page);
  await until('the passkey has answered', () => body !== null);
  await page.unroute('**/passkeys/sign-in');
  return body!;
}

/** The options of the signature that the page's script asks for. */
async function offeredOptions({ app, origin }: TestService, payload: object, cookie = ''): Promise<object> {
  const url = '/passkeys/sign-in/options';
  return (await app.inject({ method: 'POST', url, headers: { origin, cookie }, payload })).json();
}

/** Runs in a page. */
const SIGN = async (options: unknown) => {
  const { PublicKeyCredential: Credential, navigator } = globalThis as unknown as {
    PublicKeyCredential: { parseRequestOptionsFromJSON(options: unknown): object };
    navigator: { credentials: { get(wanted: object): Promise<{ toJSON(): object }> } };
  };
  const publicKey = Credential.parseRequestOptionsFromJSON(options);
  return (await navigator.credentials.get({ publicKey })).toJSON();
};

const sendAnswer = ({ app, origin }: TestService, payload: string, headers: Record<string, string> = {}) =>
  app.inject({
    method: 'POST',
    url: '/passkeys/sign-in',
    headers: { origin, 'content-type': 'application/json', ...headers },
    payload,
  });

test('passkeys in a browser', { skip: NO_BROWSER }, async (whole) => {
  const t = inTurns(whole, 3);
  const service = await sharedService(t);
  const { origin } = service;
  const { db } = service.service;

  const wholeLife = async (t: TestContext, browser: Browser) => {
    const person = await createPerson(service, BY_CODE);
    const device = await newDevice(t, service, browser, person);
    const { page } = device;
    const complaints: string[] = [];
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('console', (message) => /policy|refused|blocked/i.test(message.text()) && complaints.push(message.text()));

    const additions = () => db.query("SELECT FROM operator_log WHERE action = 'passkey-added'");
    const before = await additions();
    await addPasskey(service, device, 'My <b>phone</b>');
    assert.match((await page.locator('li').textContent()) ?? '', /My <b>phone<\/b>[\s\S]*not used yet/);
    assert.equal((await mailTo(service, person.email)).subject, 'A passkey was added');
    assert.equal((await additions()).length, before.length + 1);

    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('You’re signed out').waitFor();
    // Strangers have used up every try at the account's password.
    const email = { email: person.email, password: 'wrong password' };
    assert.equal((await sendForm(service, '/sign-in', email)).statusCode, 422);
    const budgets = await db.query<{ key: Buffer }>('SELECT key FROM attempt_budgets');
    for (const { key } of budgets) await fillAttemptBudget(db, key, 100);
    assert.equal((await sendForm(service, '/sign-in', email)).statusCode, 429);
    await page.goto(`${origin}/sign-in?return_to=/account/passkeys`);
    await usePasskey(page);
    await page.waitForURL(`${origin}/account/passkeys`);
    const cookies = (await page.context().cookies()).map(({ name }) => name.replace(/_\d+$/, '')).sort();
    assert.deepEqual(cookies, ['quarters', 'quarters_browser']);
    await forgetAttempts(db);
    assert.match((await page.locator('li').textContent()) ?? '', /last used on/);

    await page.goto(`${origin}/sign-in?again=true&return_to=/account/passkeys`);
    await usePasskey(page);
    await page.waitForURL(`${origin}/account/passkeys`);
    const sessions = await db.query(`SELECT FROM oauth_records WHERE model = 'Session' AND user_id = $1`, [
      person.userId,
    ]);
    assert.equal(sessions.length, 1, 'each session took the place of the one before');

    await page.getByRole('button', { name: 'Remove' }).click();
    await page.getByText('No passkeys yet.').waitFor();
    await page.context().clearCookies();
    await page.goto(`${origin}/sign-in`);
    await usePasskey(page);
    await complaint(page).filter({ hasText: 'We don’t recognise this passkey' }).waitFor();
    assert.deepEqual(await page.context().cookies(), []);
    assert.deepEqual(complaints, []);
  };
  for (const installed of BROWSERS) {
    await t.test(
      `a passkey is added, signs in, confirms the owner, and is refused once removed, in ${installed.name}`,
      async (t) => wholeLife(t, await startBrowser(t, installed)),
    );
  }

  // What follows is refused by the server, whichever browser asks.
  const browser = await startBrowser(t);
  await t.test('a passkey answer works once, and only for the person who was asked', async (t) => {
    const { device } = await ownedDevice(t, service, browser);
    const other = await createPerson(service);
    const answer = await withheldAnswer(device, origin);
    const statuses = (await Promise.all([1, 2, 3].map(() => sendAnswer(service, answer)))).map((a) => a.statusCode);
    assert.deepEqual(statuses.sort(), [200, 422, 422], 'of three at once, one');
    assert.equal((await sendAnswer(service, answer)).statusCode, 422);

    const fresh = await withheldAnswer(device, origin);
    const asOther = JSON.stringify({ ...JSON.parse(fresh), again: 'true' });
    assert.equal((await sendAnswer(service, asOther, { cookie: other.cookie })).statusCode, 422);
    assert.equal((await sendAnswer(service, fresh)).statusCode, 200, 'where nobody was asked for, it holds');
  });

  await t.test('another person’s passkey cannot confirm a signed-in user', async (t) => {
    const { device } = await ownedDevice(t, service, browser);
    const other = await createPerson(service);
    const options = await offeredOptions(service, { again: 'true' }, other.cookie);
    // The device signs the challenge that was given to the other person.
    const { page } = device;
    await page.route('**/passkeys/sign-in/options', (route) => route.fulfill({ json: options }));
    const answer = JSON.parse(await withheldAnswer(device, origin));
    for (const [again, cookie] of [
      ['true', other.cookie],
      ['', other.cookie],
      ['', ''],
    ] as const) {
      const sent = await sendAnswer(service, JSON.stringify({ ...answer, again }), { cookie });
      assert.equal(sent.statusCode, 422);
    }
  });

  await t.test('a passkey answer that comes too late is refused', async (t) => {
    const { device } = await ownedDevice(t, service, browser);
    const answer = await withheldAnswer(device, origin);
    await changePasskeyChallenges(db, {}, { expiresAt: ago() });
    assert.equal((await sendAnswer(service, answer)).statusCode, 422);
  });

  await t.test('a passkey answer for another site, or an altered one, is refused', async (t) => {
    const { device } = await ownedDevice(t, service, browser);
    // A page on another port of this host may ask for the same passkeys: the signature holds, only the origin is not ours.
    const other = fastify();
    other.get('/', (_request, reply) => reply.type('text/html').send('<title>Other</title>'));
    await other.listen({ port: 0, host: 'localhost' });
    atEnd(t, () => other.close());
    const { page } = device;
    await page.goto(`http://localhost:${(other.server.address() as AddressInfo).port}/`);
    const answer = await page.evaluate(SIGN, await offeredOptions(service, {}));
    assert.equal((await sendAnswer(service, JSON.stringify({ answer }))).statusCode, 422);

    const sent = JSON.parse(await withheldAnswer(device, origin));
    sent.answer.response.userHandle = Buffer.from('somebody else').toString('base64url');
    assert.equal((await sendAnswer(service, JSON.stringify(sent))).statusCode, 422);
  });

  await t.test('a cloned passkey, recognised by its counter, is refused', async (t) => {
    const { device, person } = await ownedDevice(t, service, browser);
    const [passkey] = await listPasskeys(db, person.userId);
    assert.equal(await noteUse(db, passkey!.id, 1_000), true);
    assert.equal((await sendAnswer(service, await withheldAnswer(device, origin))).statusCode, 422);
  });

  await t.test('a passkey used without user verification is refused', async (t) => {
    const { device } = await ownedDevice(t, service, browser);
    await device.cdp.send('WebAuthn.setUserVerified', { ...device, isUserVerified: false });
    await device.page.goto(`${origin}/sign-in`);
    await usePasskey(device.page);
    await complaint(device.page).filter({ hasText: 'No passkey was used.' }).waitFor();
  });

  await t.test('the same passkey is not added twice', async (t) => {
    const person = await createPerson(service, BY_CODE);
    const device = await newDevice(t, service, browser, person);
    await addPasskey(service, device, 'Phone');
    await device.page.getByLabel('Name').fill('Phone again');
    await device.page.getByRole('button', { name: 'Add a passkey' }).click();
    await complaint(device.page).filter({ hasText: 'already' }).waitFor();
    assert.equal((await listPasskeys(db, person.userId)).length, 1);
  });

  await t.test('adding a passkey after a long time asks for a new sign-in and returns', async (t) => {
    const person = await createPerson(service, BY_CODE);
    const device = await newDevice(t, service, browser, person);
    const { page } = device;
    await page.goto(`${origin}/account/passkeys`);
    await ageSessions(db, { userId: person.userId }, '1 day');
    await page.getByLabel('Name').fill('Phone');
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.waitForURL(`${origin}/sign-in?again=true&return_to=%2Faccount%2Fpasskeys`);
  });

  await t.test('a passkey confirms a password change once, and only for its owner', async (t) => {
    const person = await personWithPassword(service, BY_CODE);
    const device = await newDevice(t, service, browser, person);
    const { page } = device;
    await page.goto(`${origin}/account/password`);
    assert.equal(await page.getByRole('button', { name: 'Use a passkey' }).count(), 0, 'there is none yet');
    await addPasskey(service, device, 'Phone');
    // A sign-in of yesterday: what is asked for proves more.
    await ageSessions(db, { userId: person.userId }, '1 day');
    await page.goto(`${origin}/account/password`);
    await page.getByLabel('New password').fill('Password1234');
    await usePasskey(page);
    await complaint(page).filter({ hasText: 'too easy to guess' }).waitFor();
    assert.ok(await passwordMatches(db, person.userId, PASSWORD));

    await page.getByLabel('New password').fill('a brand new password');
    const sending = page.waitForRequest('**/account/password/passkey');
    await usePasskey(page);
    await page.waitForURL(`${origin}/account?changed=password`);
    assert.ok(await passwordMatches(db, person.userId, 'a brand new password'));

    const sent = JSON.parse((await comes('the form with the passkey', sending)).postData()!);
    const other = await personWithPassword(service);
    const send = ({ cookie, csrf }: Person, body: object) =>
      service.app.inject({
        method: 'POST',
        url: '/account/password/passkey',
        headers: { origin, cookie },
        payload: { ...body, csrf, password: 'yet another password' },
      });
    assert.equal((await send(person, sent)).statusCode, 422, 'an answer that was given before');
    assert.equal((await send(person, {})).statusCode, 422, 'none, however fresh the sign-in is');

    // Another person's session, and what the owner's passkey signs for it.
    const options = await service.app.inject({
      method: 'POST',
      url: '/account/password/passkey/options',
      headers: { origin, cookie: other.cookie },
      payload: { csrf: other.csrf },
    });
    await page.goto(`${origin}/account/password`);
    const answer = await page.evaluate(SIGN, { ...options.json<object>(), allowCredentials: [] });
    assert.equal((await send(other, { answer })).statusCode, 422);
    for (const { userId } of [person, other]) {
      assert.equal(await passwordMatches(db, userId, 'yet another password'), false);
    }
  });

  await t.test('without JavaScript the passkey buttons are not shown', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(`${origin}/sign-in`);
    assert.equal(await page.getByRole('button', { name: 'Use a passkey' }).isVisible(), false);
    assert.equal(await page.getByRole('button', { name: 'Sign in' }).isVisible(), true);
    await context.close();
  });
});
