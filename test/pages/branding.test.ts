import assert from 'node:assert/strict';
import { test } from 'node:test';
import { updateApp } from '../../src/features/apps/update-app.ts';
import { createSite } from '../../src/process/site.ts';
import { OPERATOR } from '../../src/service/managers.ts';
import { personPayment } from '../kit/browser/person-payment.ts';
import { unverifyApp, verifyApp } from '../kit/service/operator-acts.ts';
import { ask, newPayment } from '../kit/service/payment.ts';
import { sharedService } from '../kit/service/shared-service.ts';
import { png } from '../kit/unit/png.ts';
import { changeApps } from '../rows/apps.ts';

const GAME = 'https://game.example';

test("the game's name, picture and verification on our pages", async (t) => {
  const service = await sharedService(t);
  const app = await service.createApp({ name: 'Space Race', redirectUris: [`${GAME}/back`], frameAncestors: [GAME] });
  const payment = await newPayment(service, app);
  const { person, url } = await personPayment(service, app);
  const consent = `/oauth/authorize?${new URLSearchParams({
    response_type: 'code',
    client_id: app.id,
    redirect_uri: `${GAME}/back`,
    scope: 'openid',
    state: 's',
  })}`;
  const pages = {
    payment: async () => (await payment.open()).body,
    "a full user's frame": async () =>
      (await ask(service, { url: new URL(url).pathname, headers: { 'sec-fetch-dest': 'iframe' } })).body,
    'sign-in in a frame': async () =>
      (await ask(service, { url: consent, headers: { 'sec-fetch-dest': 'iframe' } })).body,
    "a full user's payment": async () =>
      (await ask(service, { url: new URL(url).pathname, headers: { cookie: person.cookie } })).body,
  };

  await t.test("an unverified game's name is in quotation marks, without a verification mark", async () => {
    for (const [what, read] of Object.entries(pages)) {
      const body = await read();
      assert.match(body, /<p class="lead">Unverified game<\/p>\s*<p class="name"><bdi>“Space Race”<\/bdi>/, what);
      assert.doesNotMatch(body, /(?<!un)verified|\/apps\//i, what);
    }
  });

  await t.test("the game's picture has no text alternative", async () => {
    await updateApp(service.service, OPERATOR, app.id, { picture: png() });
    for (const [what, read] of Object.entries(pages)) {
      const body = await read();
      const [, path] = /<img src="(\/apps\/[^"]+)" alt="" width="52" height="52">/.exec(body) ?? [];
      assert.ok(path, what);
      assert.equal((await ask(service, { url: path })).headers['content-type'], 'image/png');
    }
  });

  await t.test('the verification mark stands before the name of a verified game', async () => {
    const said = /<p class="lead"><strong class="verified"><svg.*<\/svg>Verified game<\/strong><\/p>/;
    await verifyApp(service.service, app.id);
    for (const [what, read] of Object.entries(pages)) assert.match(await read(), said, what);
    await unverifyApp(service.service, app.id);
    for (const [what, read] of Object.entries(pages)) assert.doesNotMatch(await read(), said, what);
  });

  await t.test('a name that imitates the verification mark is refused', async () => {
    const names = ['x” is a verified game “', '<strong class="verified">y</strong>', '✓ z'];
    for (const name of names) await assert.rejects(service.createApp({ name }), { code: 'invalid-input' }, name);
  });

  await t.test(
    'an app keeps a misleading name from before until it is renamed, and is shown with a warning',
    async () => {
      await changeApps(service.service.db, { id: app.id }, { name: 'Prizes at evil.example' });
      await updateApp(service.service, OPERATOR, app.id, { topUpUrl: 'https://shop.example/' });
      for (const [what, read] of Object.entries(pages)) {
        assert.match(
          await read(),
          /<strong>Unverified game with a misleading name<\/strong><\/p>\s*<p class="name"><bdi>“Prizes/,
          what,
        );
      }
      await assert.rejects(updateApp(service.service, OPERATOR, app.id, { name: 'evil.example' }), {
        code: 'invalid-input',
      });
      await updateApp(service.service, OPERATOR, app.id, { name: 'Space Race' });
    },
  );

  await t.test('a description that imitates the verification mark is quoted text', async () => {
    const words = '✓ Verified game</blockquote><strong class="verified">x';
    const told = await newPayment(service, app, { description: words });
    const { body } = await told.open();
    assert.match(body, /Unverified game/);
    assert.doesNotMatch(body, /<strong class="verified">/);
    assert.match(body, /Message from the game<\/figcaption><blockquote><bdi>“✓ Verified game&lt;/);
  });

  await t.test('a change by the operator keeps the verification mark', async () => {
    await verifyApp(service.service, app.id);
    await updateApp(service.service, OPERATOR, app.id, { name: 'Space Race 2', picture: null });
    const body = await pages.payment();
    assert.match(body, /Verified game[\s\S]*“Space Race 2”/);
    assert.doesNotMatch(body, /src="\/apps\//);
  });

  await t.test('a lock stands beside an https address only', async () => {
    const locks = async (publicUrl: string) => {
      const site = await createSite({ ...service.service, publicUrl });
      const { body } = await ask({ ...service, app: site }, { url: payment.path({ inline: 'true' }) });
      await site.close();
      const [, host] = /<span class="host">(.*?)<\/span>/.exec(body)!;
      return [host?.includes('<svg'), host?.replace(/<svg.*<\/svg>/, '')];
    };
    assert.deepEqual(await locks('https://pay.example'), [true, 'pay.example']);
    assert.deepEqual(await locks('http://pay.example'), [false, 'pay.example']);
  });

  await t.test('the first heading says which game asks', async () => {
    for (const [what, read] of Object.entries(pages)) {
      const heading = /<h1[^>]*>(.*?)<\/h1>/s.exec(await read())?.[1]?.replace(/<[^>]*>/g, '');
      assert.match(heading ?? '', /^“Space Race 2”\s+asks you/, what);
    }
  });
});
