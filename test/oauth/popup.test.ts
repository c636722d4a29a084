import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { NO_BROWSER } from '../kit/browser/browser.ts';
import { complaintsOf, type Heard, heardBy, heardOnce, profileOf, windowFrom } from '../kit/browser/game-site.ts';
import { inTurns } from '../kit/run/turns.ts';
import { hiddenFields, postedResult } from '../kit/service/oauth-browser.ts';
import { type StageApp, setStage } from './stage.ts';

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();

test('signing in from a popup of a game', { skip: NO_BROWSER }, async (whole) => {
  const t = inTurns(whole, 3);
  const stage = await setStage(t);
  const { service, browser, game, other } = stage;
  const openPopup = async (page: Page, site: string, url: string) => {
    await page.goto(`${site}/?${new URLSearchParams({ popup: url })}`);
    return windowFrom(page, () => press(page, 'Open'));
  };

  await t.test('a popup posts one working code, and asks nothing the next time', async () => {
    for (const redirectUris of [[], [`${game}/a`, 'com.acme.game://']]) {
      const app = await stage.createApp({ redirectUris });
      const person = await stage.createPerson();
      const context = await profileOf(browser, service, person);
      const page = await context.newPage();
      const popup = await openPopup(page, game, app.authorize());
      const complaints = complaintsOf(popup);
      await press(popup, 'Allow');
      await popup.getByRole('heading', { name: 'You’re signed in' }).waitFor();
      for (const again of [false, true]) {
        if (again) await openPopup(page, game, app.authorize('&redirect_uri&firebase_token&frame_id='));
        const [{ data, origin }, ...more] = (await heardOnce(page)) as [Heard];
        const { code, ...rest } = JSON.parse(data);
        assert.deepEqual([rest, origin, more], [{ success: true }, service.origin, []]);
        assert.match(code, /^[\w-]+$/);
        assert.equal(await app.redeem(code), person.userId);
      }
      assert.deepEqual(complaints, []);
      await context.close();
    }
  });

  await t.test('a public client in a popup redeems with PKCE and without a redirect address', async () => {
    const verifier = 'v'.repeat(50);
    const challenge = createHash('sha256').update(verifier).digest('base64url');
    const query = `&frame_id=f&state=s&code_challenge_method=S256&code_challenge=${challenge}`;
    const givenTo = {
      'the page in a popup': async (app: StageApp) => {
        const context = await profileOf(browser, service, await stage.createPerson());
        const page = await context.newPage();
        await press(await openPopup(page, game, app.authorize(query)), 'Allow');
        const [{ data }] = (await heardOnce(page)) as [Heard];
        await context.close();
        return JSON.parse(data);
      },
      'what the page holds': async (app: StageApp) => {
        const visitor = stage.visitor(await stage.createPerson());
        const page = await visitor.arrive(app.authorize(query));
        const form = { ...hiddenFields(page), opened_by: 'game', decision: 'allow' };
        const { result, frameId } = postedResult(await visitor.arrive(page.url, form))!;
        return { ...result, frameId };
      },
    };
    for (const [redirectUris, given] of [
      [[], givenTo['what the page holds']],
      [[`${game}/a`], givenTo['the page in a popup']],
      [[`${game}/a`, `${game}/b`], givenTo['what the page holds']],
    ] as const) {
      const app = await stage.createApp({ redirectUris: [...redirectUris], publicClient: true });
      const { code, ...rest } = await given(app);
      assert.deepEqual(rest, { success: true, state: 's', frameId: 'f' });
      const redeem = (more: Record<string, string>) =>
        fetch(`${service.origin}/oauth/token`, {
          method: 'POST',
          body: new URLSearchParams({ client_id: app.id, grant_type: 'authorization_code', code, ...more }),
        });
      assert.equal((await redeem({ code_verifier: 'w'.repeat(50) })).status, 400);
      assert.equal((await redeem({ code_verifier: verifier, redirect_uri: `${game}/a` })).status, 400);
      assert.equal((await redeem({ code_verifier: verifier })).status, 200);
    }
  });

  await t.test('after a refusal in the popup, the game gets an error it can show', async () => {
    const app = await stage.createApp();
    const context = await profileOf(browser, service, await stage.createPerson());
    const page = await context.newPage();
    const popup = await openPopup(page, game, app.authorize('&frame_id=f'));
    await press(popup, 'Don’t allow');
    const error = 'The player did not allow it.';
    const data = JSON.stringify({ error, message: error, frameId: 'f' });
    assert.deepEqual(await heardOnce(page), [{ data, origin: service.origin }]);
    await context.close();
  });

  await t.test('a known game is told of a faulty request in its popup', async () => {
    const app = await stage.createApp({ redirectUris: [`${game}/a`] });
    const person = await stage.createPerson();
    const visitor = stage.visitor(person);
    const wrong = app.authorize('&redirect_uri=https://evil.example/');
    const errors = new Map<string, unknown>();
    for (const each of [
      wrong,
      app.authorize('&redirect_uri=urn:quarters:no-redirect'),
      app.authorize().replace('=code', '=token'),
      app.authorize('&prompt=none&max_age=0'),
    ]) {
      const answer = await visitor.visit(each);
      assert.equal(answer.status, 400, each);
      const { result, origins } = postedResult(answer)!;
      assert.ok(String(result.error).length > 5, each);
      assert.deepEqual(origins, [game]);
      errors.set(each, result.error);
    }
    const unknown = await visitor.visit(app.authorize().replace(app.id, 'x'.repeat(20)));
    assert.match(unknown.body, /<h1>We don’t know this game<\/h1>/);
    assert.equal(postedResult(unknown), null);

    const context = await profileOf(browser, service, person);
    const page = await context.newPage();
    const popup = await openPopup(page, game, wrong);
    const [{ data }] = (await heardOnce(page)) as [Heard];
    const error = errors.get(wrong);
    assert.deepEqual(JSON.parse(data), { error, message: error });
    assert.equal(new URL(popup.url()).origin, service.origin);
    await context.close();
  });

  await t.test('a popup that stays open is redirected to the one registered address', async () => {
    const app = await stage.createApp({ redirectUris: [`${game}/a`] });
    const person = await stage.createPerson();
    const context = await profileOf(browser, service, person);
    const page = await context.newPage();
    const popup = await openPopup(page, game, app.authorize());
    await press(popup, 'Allow');
    const [{ data }] = (await heardOnce(page)) as [Heard];
    await popup.waitForURL(`${game}/a?**`);
    const { code } = JSON.parse(data);
    assert.equal(
      popup.url(),
      `${game}/a?success=true&code=${code}&iss=${encodeURIComponent(service.service.publicUrl)}`,
    );
    assert.equal(await app.redeem(code), person.userId);
    await context.close();
  });

  await t.test('a hostile page that opens our window gets no message', async () => {
    const app = await stage.createApp();
    const context = await profileOf(browser, service, await stage.createPerson());
    for (const query of ['', '&frame_id=x', '&opened_by=frame', '&opened_by=frame&frame_id=x']) {
      const page = await context.newPage();
      const popup = await openPopup(page, other, app.authorize(query));
      const allow = popup.getByRole('button', { name: 'Allow', exact: true });
      if (await allow.isVisible()) await allow.click();
      await popup.getByRole('heading', { name: 'You’re signed in' }).waitFor();
      assert.deepEqual(await heardBy(page), []);
      await page.close();
    }
    await context.close();
  });
});
