import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { NO_BROWSER, startBrowser } from '../kit/browser/browser.ts';
import { assertFitInLooks, PHONE } from '../kit/browser/fit.ts';
import { profileOf } from '../kit/browser/game-site.ts';
import { OWN_SCHEME, opens } from '../kit/browser/own-scheme.ts';
import { pkce, sharedWorld } from '../kit/service/oauth-world.ts';
import { createPerson } from '../kit/service/people.ts';
import { PASSWORD, personWithPassword } from '../kit/service/with-password.ts';

/** What react-native-app-auth sends by AppAuth for iOS and Android, with `prompt` in its `additionalParameters`. */
function appAuthRequest(clientId: string, prompt: string) {
  const { verifier, challenge } = pkce();
  const state = randomBytes(32).toString('base64url');
  const nonce = randomBytes(32).toString('base64url');
  const query = new URLSearchParams({
    ...{ nonce, response_type: 'code', state, scope: 'openid profile', redirect_uri: OWN_SCHEME, client_id: clientId },
    ...challenge,
    prompt,
  });
  return { query, state, nonce, verifier };
}

test('an app signs in by AppAuth with a prompt', { skip: NO_BROWSER }, async (t) => {
  const world = await sharedWorld(t);
  const app = await world.createClient({ redirectUris: [OWN_SCHEME], publicClient: true, name: 'Pocket Quest' });
  const browser = await startBrowser(t);
  const redeemed = async (answer: string, { state, nonce, verifier }: ReturnType<typeof appAuthRequest>) => {
    const given = new URLSearchParams(answer.slice(`${OWN_SCHEME}?`.length));
    assert.equal(given.get('state'), state);
    const tokens = await world.token({
      ...{ grant_type: 'authorization_code', code: given.get('code'), redirect_uri: OWN_SCHEME },
      ...{ client_id: app.id, code_verifier: verifier },
    });
    assert.equal(tokens.status, 200, JSON.stringify(tokens.body));
    const claims = JSON.parse(Buffer.from(tokens.body.id_token!.split('.')[1]!, 'base64url').toString());
    assert.equal(claims.nonce, nonce);
    return claims.sub as string;
  };

  await t.test('select_account: as who is signed in, or as somebody else', async () => {
    const person = await createPerson(world, { displayName: 'Ada' });
    const other = await personWithPassword(world);
    const context = await profileOf(browser, world, person);
    const page = await context.newPage();
    await page.setViewportSize(PHONE);
    await page.clock.install();
    const ask = async () => {
      const request = appAuthRequest(app.id, 'select_account');
      await page.goto(`${world.origin}/oauth/authorize?${request.query}`);
      await page.getByRole('heading', { name: 'Choose an account' }).waitFor();
      await page.getByText(person.email).waitFor();
      return request;
    };
    const first = await ask();
    await assertFitInLooks(page, 'the choice of an account');
    await page.getByRole('button', { name: 'Continue', exact: true }).click();
    await page.getByText('asks to use your').waitFor();
    await page.clock.runFor(600);
    const answer = await opens(page, () => page.getByRole('button', { name: 'Allow', exact: true }).click());
    assert.equal(await redeemed(answer, first), person.userId);

    // Who has agreed goes straight back to the app.
    const second = await ask();
    const again = await opens(page, () => page.getByRole('button', { name: 'Continue', exact: true }).click());
    assert.equal(await redeemed(again, second), person.userId);

    const third = await ask();
    await page.getByRole('link', { name: 'Use another account' }).click();
    await page.getByLabel('E-mail address').fill(other.email);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByText('asks to use your').waitFor();
    await page.clock.runFor(600);
    const others = await opens(page, () => page.getByRole('button', { name: 'Allow', exact: true }).click());
    assert.equal(await redeemed(others, third), other.userId);
    await context.close();
  });

  await t.test('create: the page for a new account', async () => {
    const context = await profileOf(browser, world, null);
    const page = await context.newPage();
    await page.goto(`${world.origin}/oauth/authorize?${appAuthRequest(app.id, 'create').query}`);
    await page.getByRole('heading', { name: 'Create your account' }).waitFor();
    await context.close();
  });
});
